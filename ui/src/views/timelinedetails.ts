import type { LogMark, Part, RowInfo, Span, State, TimelineFrame } from "../api/timeline.ts";
import { kindInk, type Inks } from "../draw/timeline.ts";
import { percent } from "../lib/format.ts";
import { onlyState, sums, type LaneData } from "../lib/lane.ts";
import { shortName } from "../lib/names.ts";
import { frameKind, ownFrame, shortFile } from "../lib/owncode.ts";
import { colorOf } from "../lib/states.ts";
import type { Area } from "../lib/timelinehash.ts";
import { duration, exactTime, type Stretch } from "../lib/timescale.ts";
import type { Lanes } from "../state/lanes.ts";
import { timelineTexts } from "../texts/timeline.ts";
import { h } from "./dom.ts";
import { otherOf, rowTitle, typeOf, wokenIn } from "./timelinewords.ts";

const { t } = timelineTexts;

/** A target in the timeline: a span or part of a row, or the row itself. */
export interface Place {
  readonly row: RowInfo;
  readonly span: Span | null;
  readonly part: Part | null;
  /** A message of the program. */
  readonly log?: LogMark | undefined;
  /** A region or call below the states of a goroutine; name has its place in the second line. */
  readonly box?: { from: number; to: number; name: string; what: "region" | "call" } | undefined;
}

/** Actions from the details. */
export interface Deeds {
  close(): void;
  zoomTo(s: Stretch): void;
  goroutine(id: string): void;
  pin(id: string, on: boolean): void;
  pinned(id: string): boolean;
  /** Shows or hides regions and calls below a goroutine. */
  more(id: string, on: boolean): void;
  hasMore(id: string): boolean;
  /** Shows a span of a goroutine. */
  span(id: string, at: number): void;
}

/** Where frames lead to; addresses are "" for none. */
export interface FrameLinks {
  /** The address of a page with the source of a frame. */
  source(f: TimelineFrame): string;
  /** The address of the line of a frame in the reader's editor. */
  editor(f: TimelineFrame): string;
}

/** The maximum number of frames of a stack to show. */
const maxFrames = 60;

/** Describes a target: briefly in the tooltip, and in full in the details. */
export class Describer {
  constructor(
    private readonly states: readonly State[],
    private readonly lanes: Lanes,
    private readonly links: FrameLinks | null,
  ) {}

  /** Describes a target in one sentence. */
  sentence(p: Place): string {
    const row = rowTitle(p.row);
    if (p.log) return t("said.log", { category: p.log.category, text: p.log.text, at: exactTime(p.log.at), row });
    if (p.box) {
      const [name = ""] = p.box.name.split("\n");
      return t("said.box", { name, length: duration(p.box.to - p.box.from), row });
    }
    const of = p.span ?? p.part;
    if (!of) return row;
    const words = { length: duration(of[1] - of[0]), at: exactTime(of[0]), row };
    if (p.span) return t("said.span", { ...words, state: this.stateName(p) });
    return t("said.part", { ...words, shares: this.shares(of) });
  }

  private stateName(p: Place): string {
    const state = p.span ? this.states[p.span[2]] : undefined;
    const type = typeOf(p.row.id);
    if (type === "range" || type === "region") return p.row.name;
    if (type === "thread") return t("withproc");
    return state?.name ?? t("color.unknown");
  }

  /** What to call a part. */
  private partName(part: Part): string {
    const only = onlyState(part);
    return only < 0 ? t("toomany") : (this.states[only]?.name ?? t("color.unknown"));
  }

  private shares(part: Part): string {
    const length = Math.max(part[1] - part[0], 1);
    const all: string[] = [];
    for (let k = 2; k + 1 < part.length; k += 2)
      all.push(`${this.states[part[k]]?.name ?? t("color.unknown")} ${percent(part[k + 1], length)}`);
    return all.join(", ");
  }

  /** The contents of the tooltip. */
  tip(p: Place, inks: Inks): Node[] {
    if (p.box) {
      const [name = "", at = ""] = p.box.name.split("\n");
      return [
        h("strong", {}, `${shortName(name)} ${duration(p.box.to - p.box.from)}`),
        h("div", { class: "place" }, p.box.what === "region" ? t("type.region") : shortFile(at)),
        h("div", { class: "place" }, rowTitle(p.row)),
      ];
    }
    if (p.log) {
      const { log, ...rest } = p;
      return [
        h("strong", {}, log.category ? `${log.category}: ${log.text}` : log.text),
        h("div", { class: "place" }, t("message", { at: exactTime(log.at) })),
        ...(rest.span || rest.part ? this.tip(rest, inks) : []),
      ];
    }
    if (!p.span) {
      const part = p.part ?? [0, 0];
      const only = onlyState(part);
      if (only >= 0)
        return [
          h("strong", {}, this.swatch(only, inks), `${this.partName(part)} ${duration(part[1] - part[0])}`),
          h("div", { class: "place" }, rowTitle(p.row)),
        ];
      return [
        h("strong", {}, `${duration(part[1] - part[0])}, ${this.partName(part)}`),
        h("div", { class: "place" }, rowTitle(p.row)),
        this.table(partTimes(part), part[1] - part[0], inks),
      ];
    }
    const s = p.span;
    const out: Node[] = [
      h("strong", {}, this.swatch(s[2], inks), `${this.stateName(p)} ${duration(s[1] - s[0])}`),
      h("div", { class: "place" }, rowTitle(p.row)),
    ];
    const other = otherOf(p.row, s, this.states[s[2]]);
    const name = other ? this.otherName(other) : "";
    const runnable = this.states[s[2]]?.group === "runnable";
    if (name) out.push(h("div", {}, t(runnable ? "wokenby" : other.startsWith("p") ? "on" : "with", { name })));
    const told = this.stackOf(p);
    if (told && told.stack > 0) {
      const frames = this.lanes.stack(told.stack);
      const f = frames && ownFrame(frames);
      const leaf = frames?.[0];
      out.push(
        h(
          "div",
          { class: "where" },
          t(`tip.${told.where}`),
          f ? h("b", {}, shortName(f.function)) : "…",
          f ? ` ${shortFile(f.file)}:${f.line}` : null,
        ),
      );
      // The own frame says where to look; the leaf, what it waits in.
      if (f && leaf && leaf !== f) out.push(h("div", { class: "where" }, t("in", { name: shortName(leaf.function) })));
    }
    return out;
  }

  private otherName(id: string): string {
    if (id.startsWith("p")) return `P ${id.slice(1)}`;
    const r = this.lanes.name(id);
    return r ? rowTitle(r) : "…";
  }

  /** The most informative stack of a span, and where in it that is: what woke it, where it is, or where it ended. */
  private stackOf(p: Place): { stack: number; where: "woken" | "at" | "until" } | null {
    if (!p.span) return null;
    const group = this.states[p.span[2]]?.group;
    const type = typeOf(p.row.id);
    if (type === "proc" || type === "thread") return null;
    if (group === "runnable") return { stack: p.span[3], where: "woken" };
    if (group !== "running") return { stack: p.span[3], where: "at" };
    // Running starts without a stack; the stack at its end shows what ran.
    const next = this.adjacent(p, 1);
    return next && this.states[next[2]]?.group !== "runnable"
      ? { stack: next[3], where: "until" }
      : { stack: p.span[3], where: "at" };
  }

  private adjacent(p: Place, by: number): Span | undefined {
    const d = this.lanes.lane(p.row.id);
    const at = d && p.span ? indexOf(d, p.span) : -1;
    return d && at >= 0 ? d.spans[at + by] : undefined;
  }

  /** The details of an area: the time of its rows in each state. */
  area(
    a: Area,
    times: ReadonlyMap<number, number>,
    whole: number,
    inks: Inks,
    to: { zoom(): void; close(): void },
  ): Node[] {
    return [
      h(
        "div",
        { class: "details-head" },
        h("span", { class: "chip" }, t("area")),
        h("button", { type: "button", class: "plain", "aria-label": t("close"), onclick: () => to.close() }, "✕"),
      ),
      h("h2", {}, t("area.head", { length: duration(a.to - a.from), n: a.ids.length })),
      ...(a.all ? [h("p", { class: "place" }, t("area.first", { n: a.ids.length, all: a.all }))] : []),
      h("p", { class: "place" }, t("area.times", { from: exactTime(a.from), to: exactTime(a.to) })),
      h("div", { class: "actions" }, h("button", { type: "button", onclick: () => to.zoom() }, t("zoomto"))),
      h("h3", {}, t("area.states")),
      this.table([...times], whole, inks),
    ];
  }

  /** The full details of a target. */
  details(p: Place, inks: Inks, window: Stretch, to: Deeds): Node[] {
    const s = p.span;
    const type = typeOf(p.row.id);
    const title = s ? this.stateName(p) : p.part ? this.partName(p.part) : t(`type.${type}`);
    const head = h(
      "div",
      { class: "details-head" },
      h("span", { class: "chip" }, s ? this.swatch(s[2], inks) : null, title),
      h("button", { type: "button", class: "plain", "aria-label": t("close"), onclick: () => to.close() }, "✕"),
    );
    const out: Node[] = [head, h("h2", {}, p.row.name)];
    if (p.row.kind && p.row.kind !== p.row.name) out.push(h("div", { class: "place" }, p.row.kind));
    const part = s ?? p.part;
    const of: Stretch = part ? { from: part[0], to: part[1] } : (p.box ?? p.row);
    const line = (k: string, v: string) => h("tr", {}, h("th", { scope: "row" }, k), h("td", {}, v));
    out.push(
      h(
        "table",
        { class: "numbers" },
        h(
          "tbody",
          {},
          line(t("length"), duration(of.to - of.from)),
          line(t("begin"), exactTime(of.from)),
          line(t("end"), exactTime(of.to)),
        ),
      ),
    );

    if (p.box) {
      const [name = "", at = ""] = p.box.name.split("\n");
      const what = p.box.what === "region" ? t("type.region") : shortFile(at);
      out.push(h("p", { class: "message" }, h("b", {}, shortName(name)), ` ${what}`));
    }
    if (p.log) out.push(h("p", { class: "message" }, h("b", {}, p.log.category), ` ${p.log.text}`));
    const actions = [h("button", { type: "button", onclick: () => to.zoomTo(of) }, t("zoomto"))];
    const mine = p.row.goroutine;
    if (mine) actions.push(h("button", { type: "button", onclick: () => to.goroutine(mine) }, t("itsgoroutine")));
    const pinned = to.pinned(p.row.id);
    actions.push(
      h("button", { type: "button", onclick: () => to.pin(p.row.id, !pinned) }, pinned ? t("unpin") : t("pin")),
    );
    if (type === "goroutine") {
      const more = to.hasMore(p.row.id);
      actions.push(
        h(
          "button",
          { type: "button", onclick: () => to.more(p.row.id, !more) },
          more ? t("lesscalls") : t("morecalls"),
        ),
      );
    }
    out.push(h("div", { class: "actions" }, ...actions));

    if (p.part && onlyState(p.part) < 0)
      out.push(h("h3", {}, t("within")), this.table(partTimes(p.part), of.to - of.from, inks));
    const d = this.lanes.lane(p.row.id);
    if (!s && !p.part && d) {
      const seen = { from: Math.max(window.from, p.row.from), to: Math.min(window.to, p.row.to) };
      if (seen.to > seen.from)
        out.push(h("h3", {}, t("thewindow")), this.table([...sums(d, seen)], seen.to - seen.from, inks));
    }
    if (!s) return out;

    const other = otherOf(p.row, s, this.states[s[2]]);
    const group = this.states[s[2]]?.group;
    if (other.startsWith("g"))
      out.push(h("h3", {}, group === "runnable" ? t("other.waker") : t("other.goroutine")), this.link(other, to));
    else if (other.startsWith("p") && type !== "thread") out.push(h("p", {}, t("onp", { n: other.slice(1) })));
    else if (other) out.push(h("p", {}, t("withp", { n: other.slice(1) })));
    const told = this.stackOf(p);
    if (told && told.stack > 0) out.push(h("h3", {}, t(`stack.${told.where}`)), this.stack(told.stack));
    const woken = d && type !== "proc" && type !== "thread" ? wokenIn(d, indexOf(d, s), this.states) : undefined;
    if (woken && woken !== s && woken[4] > 0) {
      const title = group === "running" ? t("other.waker") : t("other.ender");
      out.push(h("h3", {}, title), this.link(`g${woken[4] - 1}`, to));
      if (woken[3] > 0) out.push(this.stack(woken[3]));
    }
    return out;
  }

  private link(id: string, to: Deeds): HTMLElement {
    return h(
      "p",
      {},
      h("button", { type: "button", class: "plain link", onclick: () => to.goroutine(id) }, this.otherName(id)),
    );
  }

  private swatch(state: number, inks: Inks): HTMLElement {
    const el = h("span", { class: "swatch", "aria-hidden": "true" });
    const is = this.states[state];
    el.style.background = is?.group === "function" ? kindInk(is.name, inks) : inks.states[colorOf(is)];
    return el;
  }

  private table(times: readonly (readonly [number, number])[], whole: number, inks: Inks): HTMLElement {
    const rows = [...times]
      .filter(([, time]) => time > 0)
      .sort((a, b) => b[1] - a[1])
      .slice(0, 8)
      .map(([state, time]) =>
        h(
          "tr",
          {},
          h("th", { scope: "row" }, this.swatch(state, inks), this.states[state]?.name ?? t("color.unknown")),
          h("td", {}, duration(time)),
          h("td", {}, percent(time, whole)),
        ),
      );
    return h("table", { class: "numbers" }, h("tbody", {}, ...rows));
  }

  /** A stack, with the innermost own frame first. */
  private stack(n: number): HTMLElement {
    const frames = this.lanes.stack(n);
    if (!frames) return h("p", { class: "place" }, "…");
    const own = ownFrame(frames);
    const link = (name: string, address: string | undefined, text: string, title = "") =>
      address ? h("a", { class: name, href: address, ...(title ? { title } : {}) }, text) : text;
    const line = (f: TimelineFrame) => {
      const name = shortName(f.function);
      const source = this.links?.source(f);
      return h(
        "li",
        { class: `frame ${frameKind(f)}-frame`, title: f.file },
        source ? link("name", source, name) : h("span", { class: "name" }, name),
        h(
          "span",
          { class: "place" },
          link("editor-place", this.links?.editor(f), `${shortFile(f.file)}:${f.line}`, t("editor")),
        ),
      );
    };
    const first =
      own && own !== frames[0] && frameKind(own) === "own"
        ? h("ol", { class: "stack first", "aria-label": t("owncode") }, line(own))
        : null;
    const more = frames.length - maxFrames;
    const rest = more > 0 ? h("p", { class: "place" }, t("moreframes", { n: more })) : null;
    return h("div", {}, first, h("ol", { class: "stack" }, ...frames.slice(0, maxFrames).map(line)), rest);
  }
}

function partTimes(p: Part): [number, number][] {
  const out: [number, number][] = [];
  for (let k = 2; k + 1 < p.length; k += 2) out.push([p[k], p[k + 1]]);
  return out;
}

/** The index of a span in its lane: later answers have new objects for it. */
export function indexOf(d: LaneData, s: Span): number {
  return d.spans.findIndex((x) => x === s || (x[0] === s[0] && x[1] === s[1] && x[2] === s[2]));
}
