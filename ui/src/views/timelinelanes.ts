import type { RowInfo, Span, State } from "../api/timeline.ts";
import { drawLane, kindInk, laneGap, laneHeight, sized, timeOf, type Inks, type Look, type Scale } from "../draw/timeline.ts";
import { nearest, onlyState, stretchOf } from "../lib/lane.ts";
import { colorOf, rangeColor, type ColorKey } from "../lib/states.ts";
import type { Stretch } from "../lib/timescale.ts";
import type { Lanes } from "../state/lanes.ts";
import { h } from "./dom.ts";
import type { Place } from "./timelinedetails.ts";
import { indexOf } from "./timelinedetails.ts";
import type { Section } from "./timelinesections.ts";
import { otherOf, rowLabel, spanLabel, typeOf } from "./timelinewords.ts";

const headHeight = 34;

/** The height of a name above its lane, where the window is too narrow for names next to them. */
const nameHeight = 17;

/** A lane of the picture, from its top. */
interface Lane {
  readonly row: RowInfo;
  readonly top: number;
  readonly pinned: boolean;
}

/** The rows: headings and names as elements, spans on a canvas that follows the window. */
export class LanesView {
  readonly canvas: HTMLCanvasElement;
  readonly el: HTMLElement;
  private readonly tall: HTMLElement;
  private readonly names = h("div", { class: "names" });
  private lanes: Lane[] = [];
  private shown = "";
  private height = 0;

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
      "aria-roledescription": "timeline",
      "aria-label":
        "Rows of the trace. Arrow keys go from row to row and from span to span, w and s zoom, a and d move.",
    });
    this.tall = h("div", { class: "tall" }, this.canvas, this.names);
    this.el = h("div", { class: "lanes", role: "region", "aria-label": "Rows", onscroll: scrolled }, this.tall);
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
  place(sections: readonly Section[], pins: readonly RowInfo[]): void {
    const lanes: Lane[] = [];
    let y = 0;
    for (const s of sections) {
      s.el.style.top = `${y}px`;
      // Never moved: an element that leaves the page loses the focus, which would interrupt typing in its search.
      if (!s.el.isConnected) this.names.append(s.el);
      y += headHeight;
      const open = !s.el.classList.contains("shut");
      const held = s.type === "goroutine" && open ? pins : [];
      const put = (row: RowInfo, pinned: boolean) => {
        if (this.narrow) y += nameHeight;
        lanes.push({ row, top: y, pinned });
        y += laneHeight + laneGap;
      };
      for (const row of held) put(row, true);
      for (const row of s.rows) if (!held.some((p) => p.id === row.id)) put(row, false);
      if (open) y += 6;
    }
    const key = JSON.stringify([
      lanes.map((l) => [l.row.id, l.top, l.pinned, l.row.kind, l.row.name]),
      sections.map((s) => s.type),
      this.left,
    ]);
    if (key === this.shown) return;
    this.shown = key;
    this.lanes = lanes;
    this.height = y + 8;
    for (const el of this.names.querySelectorAll(":scope > .name")) el.remove();
    this.names.append(...lanes.map((l) => this.name(l)));
  }

  private name(l: Lane): HTMLElement {
    const { main, more } = rowLabel(l.row);
    const el = h(
      "button",
      {
        type: "button",
        class: l.pinned ? "name pinned" : "name",
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
    const from = this.el.scrollTop - 100;
    const to = this.el.scrollTop + this.el.clientHeight + 100;
    return this.lanes.filter((l) => l.top + laneHeight > from && l.top < to).map((l) => l.row);
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
    const lane = this.lanes.find((l) => y >= l.top && y < l.top + laneHeight);
    if (!lane || x < this.left) return null;
    return this.at(lane.row, timeOf(this.scale(window), x), window);
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
    color: "kind" | "state",
    lines: readonly number[],
    mark: Place | null,
    hover: Place | null,
    selected: Stretch | null,
  ): void {
    const height = Math.max(this.el.clientHeight, 1);
    this.tall.style.height = `${Math.max(this.height, height)}px`;
    const g = sized(this.canvas, this.el.clientWidth, height);
    if (!g) return;
    const s = this.scale(window);
    const above = this.el.scrollTop;
    g.strokeStyle = inks.line;
    g.globalAlpha = 0.5;
    for (const x of lines) {
      g.beginPath();
      g.moveTo(x, 0);
      g.lineTo(x, height);
      g.stroke();
    }
    g.globalAlpha = 1;
    g.save();
    g.beginPath();
    g.rect(s.left, 0, s.width, height);
    g.clip();
    for (const l of this.lanes) {
      const top = l.top - above;
      const d = this.data.lane(l.row.id);
      if (top + laneHeight < 0 || top > height || !d) continue;
      const range = typeOf(l.row.id) === "range";
      const key = (state: number): ColorKey => (range ? rangeColor(l.row.name) : colorOf(this.states[state]));
      drawLane(g, s, top, d, inks, key, (span) => this.look(l.row, span, key(span[2]), inks, color), {
        least: range ? 0.6 : 0.1,
        full: "grt".includes(l.row.id[0]),
        ink: color === "kind" && typeOf(l.row.id) === "proc" ? (state) => this.functionInk(state, inks) : undefined,
      });
      this.beyond(g, s, top, l.row, inks);
      for (const [place, ink] of [
        [hover, inks.text],
        [mark, inks.ring],
      ] as const) {
        if (place?.row.id === l.row.id) this.frame(g, s, top, place, ink);
      }
    }
    if (selected) {
      const [x0, x1] = [selected.from, selected.to].map(
        (t) => s.left + ((t - window.from) / (window.to - window.from)) * s.width,
      );
      g.fillStyle = inks.dim;
      g.fillRect(s.left, 0, x0 - s.left, height);
      g.fillRect(x1, 0, s.left + s.width - x1, height);
    }
    g.restore();
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

  private look(row: RowInfo, span: Span, key: ColorKey, inks: Inks, color: "kind" | "state"): Look {
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
