import type { LogMark, RowInfo, Span, State } from "../api/timeline.ts";
import {
  drawLane,
  kindInk,
  laneGap,
  laneHeight,
  sized,
  timeOf,
  xOf,
  type Inks,
  type Look,
  type Scale,
} from "../draw/timeline.ts";
import {
  drawFlows,
  drawHeat,
  drawMarks,
  drawRegions,
  drawShades,
  drawStack,
  frameHeight,
  regionHeight,
  type Flow,
} from "../draw/tracks.ts";
import { busyShares, nearest, onlyState, overlapping, stretchOf, type LaneData } from "../lib/lane.ts";
import { colorOf, rangeColor, type ColorKey } from "../lib/states.ts";
import { stackTrack, type TrackBox } from "../lib/stacktrack.ts";
import type { Area } from "../lib/timelinehash.ts";
import type { Stretch } from "../lib/timescale.ts";
import type { Lanes } from "../state/lanes.ts";
import { timelineTexts } from "../texts/timeline.ts";
import { h } from "./dom.ts";
import type { Place } from "./timelinedetails.ts";
import { indexOf } from "./timelinedetails.ts";
import type { Section } from "./timelinesections.ts";
import { otherOf, rowLabel, spanLabel, typeOf, wokenIn } from "./timelinewords.ts";

const { t } = timelineTexts;

const headHeight = 34;

/** The height of a name above its lane, where the window is too narrow for names next to them. */
const nameHeight = 17;

/** A lane of the picture, from its top. */
interface Lane {
  readonly row: RowInfo;
  readonly top: number;
  readonly pinned: boolean;
  /** Of the row's states; the tracks below it come in addition. */
  readonly height: number;
  /** The depth of its regions, and of its stacks, that are drawn below it. */
  readonly regions: number;
  readonly calls: number;
}

/** The number of calls that the stack track of a goroutine shows, and the depth of its regions. */
const mostCalls = 16;
const mostRegions = 4;

/** The height of a processor's lane in a heatmap. */
const heatHeight = 9;

/** What to draw besides the rows' states. */
export interface Extras {
  readonly shade: boolean;
  readonly flows: boolean;
  readonly area: Area | null;
  readonly more: readonly string[];
}

/** The maximum number of arrows in a picture. */
const mostFlows = 600;

/** The rows: headings and names as elements, spans on a canvas that follows the window. */
export class LanesView {
  readonly canvas: HTMLCanvasElement;
  readonly el: HTMLElement;
  private readonly tall: HTMLElement;
  private readonly names = h("div", { class: "names" });
  private lanes: Lane[] = [];
  private shown = "";
  private height = 0;
  private readonly pinned = h("div", { class: "pinned-head" });

  constructor(
    private readonly states: readonly State[],
    private readonly data: Lanes,
    private readonly pick: (p: Place) => void,
    private readonly zoom: (s: Stretch) => void,
    scrolled: () => void,
  ) {
    this.canvas = h("canvas", {
      tabindex: "0",
      role: "application",
      "aria-roledescription": t("timeline"),
      "aria-label": t("picture"),
    });
    this.tall = h("div", { class: "tall" }, this.canvas, this.names);
    this.el = h("div", { class: "lanes", role: "region", "aria-label": t("rows"), onscroll: scrolled }, this.tall);
  }

  /** Names are above their lanes: next to them they would be cut, or leave no space for the picture. */
  private get narrow(): boolean {
    return this.el.clientWidth < 620;
  }

  /** The width of the names. */
  get left(): number {
    return this.narrow ? 8 : this.el.clientWidth < 1800 ? 216 : 330;
  }

  get width(): number {
    return Math.max(this.el.clientWidth - this.left, 50);
  }

  scale(window: Stretch): Scale {
    return { window, left: this.left, width: this.width };
  }

  /** Lays out sections and rows. pins come above the goroutines. */
  place(sections: readonly Section[], pins: readonly RowInfo[], more: readonly string[], heat: boolean): void {
    const lanes: Lane[] = [];
    let y = 0;
    this.scrolls.length = 0;
    const put = (row: RowInfo, pinned: boolean, tracks = true) => {
      const hot = heat && typeOf(row.id) === "proc";
      if (this.narrow && !hot) y += nameHeight;
      const height = hot ? heatHeight : laneHeight;
      const wide = tracks && more.includes(row.id);
      const marks = wide ? this.data.marksOf(row.id) : undefined;
      const depth = Math.max(-1, ...(marks?.row.regions ?? []).map((r) => r[3] ?? 0)) + 1;
      const regions = Math.min(depth, mostRegions);
      const calls = wide ? mostCalls : 0;
      lanes.push({ row, top: y, pinned, height, regions, calls });
      y += height + (hot ? 1 : laneGap) + regions * regionHeight + calls * frameHeight + (calls > 0 ? 4 : 0);
    };
    this.pinned.hidden = pins.length === 0;
    if (pins.length > 0) {
      if (!this.pinned.isConnected) this.names.append(this.pinned);
      this.pinned.textContent = t("pinned", { n: pins.length });
      y += 22;
      for (const row of pins) put(row, true);
      y += 6;
    }
    for (const s of sections) {
      s.el.style.top = `${y}px`;
      // Never moved: an element that leaves the page loses the focus, which would interrupt typing in its search.
      if (!s.el.isConnected) this.names.append(s.el);
      if (s.el.hidden) continue;
      y += headHeight;
      const open = !s.el.classList.contains("shut");
      if (open) y += s.extra;
      if (s.scrolled) {
        // Each row has its place, whatever is loaded: none is wider, nor left out.
        const step = laneHeight + laneGap + (this.narrow ? nameHeight : 0);
        const [begin, end] = [y, y + s.room * step];
        this.scrolls.push({ section: s, top: begin, step });
        y += s.first * step;
        for (const row of s.rows) put(row, false, false);
        y = end;
      } else {
        for (const row of s.rows) if (!pins.some((p) => p.id === row.id)) put(row, false);
      }
      if (open) y += 6;
    }
    const key = JSON.stringify([
      lanes.map((l) => [l.row.id, l.top, l.pinned, l.row.kind, l.row.name, l.calls, l.regions]),
      sections.map((s) => s.type),
      y, // of sections that are scrolled through
      this.left,
    ]);
    if (key === this.shown) return;
    this.shown = key;
    this.lanes = lanes;
    this.height = y + 8;
    for (const el of this.names.querySelectorAll(":scope > .name")) el.remove();
    this.names.append(...lanes.map((l) => this.name(l)));
  }

  /** Sections whose rows are scrolled through: where they begin, and the height of each row. */
  private readonly scrolls: { section: Section; top: number; step: number }[] = [];

  /** Loads the rows that have come into view. */
  fill(window: Stretch): void {
    const { scrollTop, clientHeight } = this.el;
    for (const { section, top, step } of this.scrolls) {
      const from = Math.max(Math.floor((scrollTop - top) / step), 0);
      const to = Math.ceil((scrollTop + clientHeight - top) / step);
      if (to > 0 && from < section.room) section.need(from, to, window);
    }
  }

  private name(l: Lane): HTMLElement {
    const { main, more } = rowLabel(l.row);
    const el = h(
      "button",
      {
        type: "button",
        class: `${l.pinned ? "name pinned" : "name"}${l.height < laneHeight ? " low" : ""}`,
        title: `${l.row.name} ${l.row.kind}`.trim(),
        "data-id": l.row.id,
        tabindex: "-1",
        onclick: () => this.pick({ row: l.row, span: null, part: null }),
        ondblclick: () => this.zoom(l.row),
      },
      h("span", {}, main),
      more ? h("span", { class: "number" }, more) : null,
    );
    el.style.top = `${this.narrow ? l.top - nameHeight : l.top}px`;
    el.style.width = this.narrow ? "calc(100% - 16px)" : `${this.left - 8}px`;
    el.classList.toggle("above", this.narrow);
    return el;
  }

  /** The rows in view, and the next ones. */
  inView(): RowInfo[] {
    return this.lanesInView().map((l) => l.row);
  }

  private lanesInView(): Lane[] {
    const from = this.el.scrollTop - 100;
    const to = this.el.scrollTop + this.el.clientHeight + 100;
    return this.lanes.filter((l) => bottom(l) > from && l.top < to);
  }

  /** The rows between two points of the window. */
  between(y0: number, y1: number): RowInfo[] {
    const { top } = this.canvas.getBoundingClientRect();
    const [a, b] = [Math.min(y0, y1), Math.max(y0, y1)].map((y) => y - top + this.el.scrollTop) as [number, number];
    return this.lanes.filter((l) => l.top + l.height > a && l.top < b).map((l) => l.row);
  }

  all(): readonly RowInfo[] {
    return this.lanes.map((l) => l.row);
  }

  /** Scrolls to a row; reports whether there is one. */
  reveal(id: string): boolean {
    const lane = this.lanes.find((l) => l.row.id === id);
    if (!lane) return false;
    const above = this.el.scrollTop;
    const below = above + this.el.clientHeight - laneHeight - 10;
    if (lane.top < above + headHeight || lane.top > below)
      this.el.scrollTop = Math.max(lane.top - this.el.clientHeight / 2, 0);
    return true;
  }

  /** The row in the middle of the view, where keyboard navigation starts. */
  middle(): RowInfo | undefined {
    const at = this.el.scrollTop + this.el.clientHeight / 2;
    let best: Lane | undefined;
    for (const l of this.lanes) if (!best || Math.abs(l.top - at) < Math.abs(best.top - at)) best = l;
    return best?.row;
  }

  /** The target at a point of the window. */
  hit(clientX: number, clientY: number, window: Stretch): Place | null {
    const box = this.canvas.getBoundingClientRect();
    const x = clientX - box.left;
    const y = clientY - box.top + this.el.scrollTop;
    const lane = this.lanes.find((l) => y >= l.top && y < bottom(l));
    if (!lane || x < this.left) return null;
    const time = timeOf(this.scale(window), x);
    const below = y - lane.top - lane.height - 1;
    if (below >= 0) return this.onTrack(lane, below, time);
    const slack = (4 * (window.to - window.from)) / this.width;
    const log = y - lane.top < 7 ? this.logAt(lane.row.id, time, slack) : undefined;
    const place = this.at(lane.row, time, window);
    return log ? { ...(place ?? { row: lane.row, span: null, part: null }), log } : place;
  }

  private logAt(id: string, time: number, slack: number): LogMark | undefined {
    let best: LogMark | undefined;
    for (const l of this.data.marksOf(id)?.row.logs ?? [])
      if (Math.abs(l.at - time) < slack && (!best || Math.abs(l.at - time) < Math.abs(best.at - time))) best = l;
    return best;
  }

  /** The region or call at a distance below a lane. */
  private onTrack(l: Lane, below: number, time: number): Place | null {
    const marks = this.data.marksOf(l.row.id);
    if (below < l.regions * regionHeight) {
      const depth = Math.floor(below / regionHeight);
      const r = marks?.row.regions.find((one) => one[3] === depth && (one[0] ?? 0) <= time && time < (one[1] ?? 0));
      if (!r || !marks) return null;
      const [from = 0, to = 0, name = 0] = r;
      return { row: l.row, span: null, part: null, box: { from, to, name: marks.names[name] ?? "", what: "region" } };
    }
    const depth = Math.floor((below - l.regions * regionHeight) / frameHeight);
    const b = this.tracks.get(l.row.id)?.find((one) => one.depth === depth && one.from <= time && time < one.to);
    if (!b) return null;
    const name = `${b.frame.function}\n${b.frame.file}:${b.frame.line}`;
    return { row: l.row, span: null, part: null, box: { from: b.from, to: b.to, name, what: "call" } };
  }

  /** The target in a row at a time. */
  at(row: RowInfo, time: number, window: Stretch): Place | null {
    const d = this.data.lane(row.id);
    if (!d) return null;
    const slack = (1.5 * (window.to - window.from)) / this.width;
    const s = nearest(d.spans, d.reach, time, slack);
    if (s >= 0) return { row, span: d.spans[s], part: null };
    const p = nearest(d.parts, 0, time, slack);
    if (p < 0) return null;
    const part = d.parts[p];
    if (onlyState(part) < 0) return { row, span: null, part };
    // It may be one span of a row that has too many: its exact times and its stack.
    const s1 = stretchOf(d.parts, p);
    const exact = this.data.exact(row.id, { from: part[0], to: part[1] });
    const at = exact ? nearest(exact.spans, exact.reach, time, slack) : -1;
    const span = exact?.spans[at];
    if (span && span[2] === part[2] && span[1] - span[0] >= part[1] - part[0]) return { row, span, part: null };
    return { row, span: null, part: [s1.from, s1.to, part[2], part[3] * ((s1.to - s1.from) / (part[1] - part[0]))] };
  }

  /** The next or previous target of a row. */
  step(p: Place, by: number): Place | null {
    const d = this.data.lane(p.row.id);
    if (!d) return null;
    const list = p.span ? d.spans : d.parts;
    const at = p.span ? indexOf(d, p.span) : d.parts.findIndex((x) => x === p.part || x[0] === p.part?.[0]);
    if (at < 0 && p.span && d.parts.length > 0) {
      // An exact span among parts: what is next to it.
      const beyond = by > 0 ? p.span[1] : p.span[0] - 1;
      return this.at(p.row, beyond, { from: d.from, to: d.to });
    }
    const next = at < 0 ? undefined : list[at + by];
    if (!next) return null;
    return p.span ? { row: p.row, span: next as Span, part: null } : { row: p.row, span: null, part: next };
  }

  draw(
    window: Stretch,
    inks: Inks,
    color: "kind" | "state" | "heat",
    lines: readonly number[],
    mark: Place | null,
    hover: Place | null,
    selected: Area | null,
    extras: Extras,
  ): void {
    const height = Math.max(this.el.clientHeight, 1);
    this.tall.style.height = `${Math.max(this.height, height)}px`;
    const g = sized(this.canvas, this.el.clientWidth, height);
    if (!g) return;
    const s = this.scale(window);
    const above = this.el.scrollTop;
    g.fillStyle = inks.line;
    g.globalAlpha = 0.5;
    for (const x of lines) g.fillRect(x - 0.5, 0, 1, height); // a stroke would take far longer
    g.globalAlpha = 1;
    g.save();
    g.beginPath();
    g.rect(s.left, 0, s.width, height);
    g.clip();
    for (const l of this.lanes) {
      const top = l.top - above;
      const d = this.data.lane(l.row.id);
      if (bottom(l) - above < 0 || top > height || !d) continue;
      if (l.height < laneHeight) {
        drawHeat(g, s, top, l.height, busyShares(d, window, s.width), inks);
        continue;
      }
      const range = typeOf(l.row.id) === "range";
      const key = (state: number): ColorKey => (range ? rangeColor(l.row.name) : colorOf(this.states[state]));
      drawLane(g, s, top, d, inks, key, (span) => this.look(l.row, span, key(span[2]), inks, color), {
        least: range ? 0.6 : 0.1,
        full: "grt".includes(l.row.id[0]),
        ink: color === "kind" && typeOf(l.row.id) === "proc" ? (state) => this.functionInk(state, inks) : undefined,
      });
      this.beyond(g, s, top, l.row, inks);
      this.marks(g, s, top, l, inks, d);
      for (const [place, ink] of [
        [hover, inks.text],
        [mark, inks.ring],
      ] as const) {
        if (place?.row.id === l.row.id) this.frame(g, s, top, place, ink);
      }
    }
    if (extras.shade) drawShades(g, s, height, ...this.shades(), inks);
    const flows = extras.flows ? this.allFlows() : this.flowsOf(mark);
    drawFlows(
      g,
      s,
      flows.map((f) => ({ at: f.at, from: f.from - above, to: f.to - above })),
      inks.text,
    );
    const area = selected ?? extras.area;
    if (area) this.drawArea(g, s, area, above, inks);
    g.restore();
  }

  private drawArea(g: CanvasRenderingContext2D, s: Scale, area: Area, above: number, inks: Inks): void {
    const rows = this.lanes.filter((l) => area.ids.includes(l.row.id));
    const [x0, x1] = [xOf(s, area.from), xOf(s, area.to)];
    g.fillStyle = inks.ring;
    g.strokeStyle = inks.ring;
    for (const l of rows) {
      g.globalAlpha = 0.2;
      g.fillRect(x0, l.top - above - 1, x1 - x0, l.height + 2);
    }
    g.globalAlpha = 1;
    const first = rows[0];
    const last = rows[rows.length - 1];
    if (first && last) g.strokeRect(x0, first.top - above - 2, x1 - x0, last.top + last.height - first.top + 4);
  }

  /** The calls of the goroutines that have their stacks drawn. */
  private readonly tracks = new Map<string, TrackBox[]>();

  /** Draws what is known of a goroutine besides its states. */
  private marks(g: CanvasRenderingContext2D, s: Scale, top: number, l: Lane, inks: Inks, d: LaneData): void {
    const marks = this.data.marksOf(l.row.id);
    if (l.calls === 0) {
      if (marks) drawMarks(g, s, top, d.parts.length > 0 ? { ...marks.row, regions: [] } : marks.row, inks);
      return;
    }
    if (!marks) return;
    drawMarks(g, s, top, { ...marks.row, regions: [] }, inks);
    const below = top + l.height + 1;
    drawRegions(g, s, below, marks.row, marks.names, inks, l.regions);
    const y = below + l.regions * regionHeight;
    if (d.parts.length > 0) {
      g.fillStyle = inks.quiet;
      g.textAlign = "left";
      g.textBaseline = "middle";
      g.fillText(t("zoomforcalls"), s.left + 6, y + frameHeight);
      this.tracks.delete(l.row.id);
      return;
    }
    const slack = s.window.to - s.window.from;
    const seen = d.spans.filter((p) => p[1] > s.window.from - slack && p[0] < s.window.to + slack);
    const boxes = stackTrack(seen, marks.row.samples, this.states, (n) => this.data.stack(n), 100);
    const first = innermostCommon(boxes);
    const shown = boxes
      .filter((b) => b.depth >= first && b.depth < first + l.calls)
      .map((b) => ({ ...b, depth: b.depth - first }));
    this.tracks.set(l.row.id, shown);
    drawStack(g, s, y, shown, inks);
  }

  /** The times of the collector, and of stops of the world. */
  private shades(): [Stretch[], Stretch[]] {
    const gc: Stretch[] = [];
    const stops: Stretch[] = [];
    for (const row of this.ranges) {
      const d = this.data.lane(row.id);
      const list = /GC concurrent mark/.test(row.name) ? gc : /^stop-the-world/.test(row.name) ? stops : null;
      if (!list || !d) continue;
      for (const one of [...d.spans, ...d.parts]) list.push({ from: one[0] as number, to: one[1] as number });
    }
    const order = (a: Stretch, b: Stretch) => a.from - b.from;
    return [gc.sort(order), stops.sort(order)];
  }

  /** The rows of the collector and of stops, for shading. */
  ranges: readonly RowInfo[] = [];

  /** The wake-ups that a selected span is part of: the one that ended it, and those that it did. */
  private flowsOf(mark: Place | null): Flow[] {
    const d = mark?.span ? this.data.lane(mark.row.id) : undefined;
    if (!mark?.span || !d) return [];
    const out: Flow[] = [];
    const me = mark.row.id.startsWith("g") ? mark.row.id : mark.row.goroutine;
    const type = typeOf(mark.row.id);
    const woken = type === "proc" || type === "thread" ? undefined : wokenIn(d, indexOf(d, mark.span), this.states);
    if (woken && woken[4] > 0) this.flow(out, `g${woken[4] - 1}`, mark.row.id, woken[0]);
    if (this.states[mark.span[2]]?.group === "running" && me) {
      const [from, to] = mark.span;
      for (const l of this.lanesInView()) {
        const lane = this.data.lane(l.row.id);
        if (!lane || l.row.id === mark.row.id || !l.row.id.startsWith("g")) continue;
        overlapping(lane.spans, 0, { from, to }, (s) => {
          if (this.states[s[2]]?.group === "runnable" && `g${s[4] - 1}` === me && s[0] >= from)
            this.flow(out, mark.row.id, l.row.id, s[0]);
        });
      }
    }
    return out.slice(0, mostFlows);
  }

  /** All wake-ups between rows in view. */
  private allFlows(): Flow[] {
    const out: Flow[] = [];
    for (const l of this.lanesInView()) {
      const d = this.data.lane(l.row.id);
      if (!d || !l.row.id.startsWith("g")) continue;
      for (const s of d.spans)
        if (out.length < mostFlows && s[4] > 0 && this.states[s[2]]?.group === "runnable")
          this.flow(out, `g${s[4] - 1}`, l.row.id, s[0]);
    }
    return out;
  }

  private flow(out: Flow[], from: string, to: string, at: number): void {
    const [a, b] = [from, to].map((id) => this.lanes.find((l) => l.row.id === id));
    if (a && b && a !== b) out.push({ at, from: a.top, to: b.top });
  }

  /** Draws an arrow towards a row's time outside the window. */
  private beyond(g: CanvasRenderingContext2D, s: Scale, top: number, row: RowInfo, inks: Inks): void {
    const before = row.to <= s.window.from;
    if (!before && row.from < s.window.to) return;
    g.fillStyle = inks.quiet;
    g.textBaseline = "middle";
    g.textAlign = before ? "left" : "right";
    g.fillText(before ? "◂" : "▸", before ? s.left + 3 : s.left + s.width - 3, top + laneHeight / 2);
  }

  private functionInk(state: number, inks: Inks): string | undefined {
    const s = this.states[state];
    return s?.group === "function" ? kindInk(s.name, inks) : undefined;
  }

  private look(row: RowInfo, span: Span, key: ColorKey, inks: Inks, color: "kind" | "state" | "heat"): Look {
    const state = this.states[span[2]];
    const proc = typeOf(row.id) === "proc";
    const other = proc ? otherOf(row, span, state) : "";
    const who = other ? this.data.name(other) : undefined;
    const ink = proc && color === "kind" && key === "running" && who ? kindInk(who.kind, inks) : undefined;
    return { key, ink, label: spanLabel(row, span, state, who) };
  }

  private frame(g: CanvasRenderingContext2D, s: Scale, top: number, p: Place, ink: string): void {
    const of = p.span ?? p.part ?? [p.row.from, p.row.to];
    const at = (t: number) => s.left + ((t - s.window.from) / (s.window.to - s.window.from)) * s.width;
    const x0 = Math.max(at(of[0]), s.left - 4);
    const x1 = Math.min(Math.max(at(of[1]), x0 + 2), s.left + s.width + 4);
    g.strokeStyle = ink;
    g.lineWidth = 2;
    g.strokeRect(x0, top - 1, Math.max(x1 - x0, 2), laneHeight + 2);
    g.lineWidth = 1;
  }
}

/** The end of a lane with its tracks. */
function bottom(l: Lane): number {
  return l.top + l.height + l.regions * regionHeight + l.calls * frameHeight;
}

/** The depth of the first call below which all boxes are: what is the same all the time need not be drawn. */
function innermostCommon(boxes: readonly TrackBox[]): number {
  const names = new Map<number, Set<string>>();
  for (const b of boxes) {
    const all = names.get(b.depth) ?? new Set();
    all.add(b.frame.function);
    names.set(b.depth, all);
  }
  let depth = 0;
  while (names.get(depth)?.size === 1 && names.has(depth + 1)) depth++;
  return Math.max(depth - 1, 0);
}
