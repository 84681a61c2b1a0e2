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
  /** Only rows that exist in the window. */
  readonly here: boolean;
}

/** The state that a link to the page reproduces. */
export interface TimelineState {
  /** null: all. */
  readonly window: Stretch | null;
  readonly pins: readonly string[];
  /** Color of processors: by the function that runs, or by state. */
  readonly color: "kind" | "state";
  readonly sections: Readonly<Record<string, SectionState>>;
}

/** Types of rows, from top to bottom, and the initial state of each section. */
export const sectionTypes = ["range", "proc", "thread", "goroutine", "request", "task", "region"] as const;

function section(open: boolean, order: Order, here = false): SectionState {
  return { open, query: "", order, skip: 0, here };
}

export const initialTimeline: TimelineState = {
  window: null,
  pins: [],
  color: "kind",
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

/** The maximum number of pinned goroutines. */
export const maxPins = 50;

export function timelineHash(s: TimelineState): string {
  return writeFragment((put) => {
    if (s.window) put("t", `${Math.round(s.window.from)}-${Math.round(s.window.to)}`);
    if (s.pins.length > 0) put("pin", s.pins.join(","));
    if (s.color !== initialTimeline.color) put("color", s.color);
    for (const type of sectionTypes) {
      const is = s.sections[type];
      const was = initialTimeline.sections[type];
      if (is.open !== was.open) put(type, is.open ? "open" : "shut");
      if (is.query) put(`${type}.q`, is.query);
      if (is.order !== was.order) put(`${type}.order`, is.order);
      if (is.skip) put(`${type}.skip`, String(is.skip));
      if (is.here !== was.here) put(`${type}.here`, is.here ? "1" : "0");
    }
  });
}

/** Parses a fragment; invalid parts get their defaults. */
export function fromTimelineHash(hash: string): TimelineState {
  const get = readFragment(hash);
  const sections: Record<string, SectionState> = {};
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
      here: here === "1" || (here !== "0" && was.here),
    };
  }
  return {
    window: window(get.get("t")),
    pins: [...new Set((get.get("pin") ?? "").split(",").filter((id) => /^g\d{1,10}$/.test(id)))].slice(0, maxPins),
    color: get.get("color") === "state" ? "state" : "kind",
    sections,
  };
}

function window(text: string | undefined): Stretch | null {
  const m = /^(\d{1,16})-(\d{1,16})$/.exec(text ?? "");
  if (!m) return null;
  const [from, to] = [Number(m[1]), Number(m[2])];
  return from < to ? { from, to } : null;
}
