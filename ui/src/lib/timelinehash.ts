import { readFragment, writeFragment } from "./fragment.ts";
import type { Stretch } from "./timescale.ts";

/** The order of a section's rows. */
export type Order = "time" | "busy" | "long";

/** What a section of rows shows. */
export interface SectionState {
  readonly open: boolean;
  readonly query: string;
  readonly order: Order;
  readonly skip: number;
  /** Rows are scrolled through, not shown page by page. */
  readonly all: boolean;
  /** Only rows that exist in the window. */
  readonly here: boolean;
}

/** The state that a link to the page reproduces. */
export interface TimelineState {
  /** null: all. */
  readonly window: Stretch | null;
  readonly pins: readonly string[];
  /** Color of processors: by the function that runs, by state, or by how busy they are. */
  readonly color: "kind" | "state" | "heat";
  /** Goroutines with their regions and stacks below. */
  readonly more: readonly string[];
  /** The selected row, with the begin of the selected span or null; "" is none. */
  readonly selected: Selected | null;
  /** A selected area: a part of some rows. */
  readonly area: Area | null;
  /** The collector's work and stops are shaded in all rows. */
  readonly shade: boolean;
  /** Arrows show all wake-ups in view. */
  readonly flows: boolean;
  /** What the details add: nothing, a flame graph of CPU samples or of waits, or the lengths of spans. */
  readonly tab: Tab;
  readonly sections: Readonly<Record<string, SectionState>>;
}

export type Tab = "" | "cpu" | "wait" | "spans";

/** A row, and the begin of a span in it; null is the row itself. */
export interface Selected {
  readonly id: string;
  readonly at: number | null;
}

/** A part of some rows. */
export interface Area extends Stretch {
  readonly ids: readonly string[];
  /** How many rows were selected, if ids are only the first of them. */
  readonly all?: number;
}

/** Types of rows, from top to bottom, and the initial state of each section. */
export const sectionTypes = ["request", "range", "proc", "thread", "goroutine", "task", "region"] as const;
export type RowType = (typeof sectionTypes)[number];

function section(open: boolean, order: Order, here = false): SectionState {
  return { open, query: "", order, skip: 0, all: false, here };
}

export const initialTimeline: TimelineState = {
  window: null,
  pins: [],
  color: "kind",
  more: [],
  selected: null,
  area: null,
  shade: true,
  flows: false,
  tab: "",
  sections: {
    range: section(true, "time"),
    proc: section(true, "time"),
    thread: section(false, "time"),
    goroutine: section(true, "busy"),
    request: section(true, "long", true),
    task: section(true, "long", true),
    region: section(false, "time"),
  },
};

/** The maximum number of pinned rows, of rows with more below them, and of rows of an area. */
export const maxPins = 50;
export const maxMore = 20;
export const maxArea = 200;

export function timelineHash(s: TimelineState): string {
  return writeFragment((put) => {
    if (s.window) put("t", `${Math.round(s.window.from)}-${Math.round(s.window.to)}`);
    if (s.pins.length > 0) put("pin", s.pins.join(","));
    if (s.color !== initialTimeline.color) put("color", s.color);
    if (s.more.length > 0) put("more", s.more.join(","));
    if (s.selected) put("sel", s.selected.id + (s.selected.at === null ? "" : `@${Math.round(s.selected.at)}`));
    if (s.area) put("area", `${Math.round(s.area.from)}-${Math.round(s.area.to)},${s.area.ids.join(",")}`);
    if (s.area?.all) put("area.all", String(s.area.all));
    if (!s.shade) put("shade", "0");
    if (s.flows) put("flows", "1");
    if (s.tab) put("tab", s.tab);
    for (const type of sectionTypes) {
      const is = s.sections[type];
      const was = initialTimeline.sections[type];
      if (is.open !== was.open) put(type, is.open ? "open" : "shut");
      if (is.query) put(`${type}.q`, is.query);
      if (is.order !== was.order) put(`${type}.order`, is.order);
      if (is.skip) put(`${type}.skip`, String(is.skip));
      if (is.all) put(`${type}.all`, "1");
      if (is.here !== was.here) put(`${type}.here`, is.here ? "1" : "0");
    }
  });
}

/** Parses a fragment; invalid parts get their defaults. */
export function fromTimelineHash(hash: string): TimelineState {
  const get = readFragment(hash);
  const sections: Record<string, SectionState> = {};
  const color = get.get("color");
  const tab = get.get("tab");
  for (const type of sectionTypes) {
    const was = initialTimeline.sections[type];
    const open = get.get(type);
    const order = get.get(`${type}.order`);
    const here = get.get(`${type}.here`);
    const skip = get.get(`${type}.skip`) ?? "";
    sections[type] = {
      open: open === "open" || (open !== "shut" && was.open),
      query: (get.get(`${type}.q`) ?? "").slice(0, 500),
      order: order === "time" || order === "busy" || order === "long" ? order : was.order,
      skip: /^\d{1,9}$/.test(skip) ? Number(skip) : 0,
      all: get.get(`${type}.all`) === "1",
      here: here === "1" || (here !== "0" && was.here),
    };
  }
  return {
    window: window(get.get("t")),
    pins: rowIDs(get.get("pin"), /^[gpmrtcu]\d{1,19}$/).slice(0, maxPins),
    color: color === "state" || color === "heat" ? color : "kind",
    more: rowIDs(get.get("more"), /^g\d{1,10}$/).slice(0, maxMore),
    selected: selected(get.get("sel")),
    area: area(get.get("area"), get.get("area.all")),
    shade: get.get("shade") !== "0",
    flows: get.get("flows") === "1",
    tab: tab === "cpu" || tab === "wait" || tab === "spans" ? tab : "",
    sections,
  };
}

function rowIDs(text: string | undefined, want: RegExp): string[] {
  return [...new Set((text ?? "").split(",").filter((id) => want.test(id)))];
}

function selected(text: string | undefined): Selected | null {
  const m = /^([gpmrtcu]\d{1,19})(?:@(\d{1,16}))?$/.exec(text ?? "");
  return m ? { id: m[1] as string, at: m[2] === undefined ? null : Number(m[2]) } : null;
}

function area(text: string | undefined, count: string | undefined): Area | null {
  const [times, ...ids] = (text ?? "").split(",");
  const w = window(times);
  const rows = rowIDs(ids.join(","), /^[gpmrtcu]\d{1,19}$/).slice(0, maxArea);
  if (!w || rows.length === 0) return null;
  const all = /^\d{1,9}$/.test(count ?? "") ? Number(count) : 0;
  return { ...w, ids: rows, ...(all > rows.length ? { all } : {}) };
}

function window(text: string | undefined): Stretch | null {
  const m = /^(\d{1,16})-(\d{1,16})$/.exec(text ?? "");
  if (!m) return null;
  const [from, to] = [Number(m[1]), Number(m[2])];
  return from < to ? { from, to } : null;
}
