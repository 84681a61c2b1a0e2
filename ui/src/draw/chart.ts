import uPlot from "uplot";
import { stacked } from "../lib/layers.ts";
import type { SvgPen } from "../lib/svg.ts";
import { steps } from "../lib/steps.ts";

/** One chart of a page. Columns are as uPlot has them: x, then each series. */
export interface Chart {
  title: string;
  columns: (number | null)[][];
  series: Series[];
  x: { label: string; log: boolean; text: (v: number) => string; splits?: number[] };
  /** from: the start of the axis if it is not zero. */
  y: { label: string; log: boolean; text: (v: number) => string; from?: (min: number, max: number) => number };
  /** The area between two series, counted from 0, as an interval. */
  band?: { low: number; high: number; color: string };
  /** Positions on the x axis with a vertical line. */
  marks?: { x: number; color: string }[];
  /** Describes the point at an index, for use outside the legend; null is none. */
  read?: (index: number | null) => string;
  /** Takes a range of the x axis that was selected, by dragging or with Shift and arrow keys. */
  select?: (from: number, to: number) => void;
  /** The part of the x axis to begin with; null is all of it. */
  part?: Part | null;
  /** Takes the part that is shown when it has changed; null is all of it. */
  shown?: (part: Part | null) => void;
}

/** A part of an axis. */
export interface Part {
  readonly from: number;
  readonly to: number;
}

export interface Series {
  name: string;
  /** The custom property with the color. */
  color: string;
  dashed?: boolean;
  /** Areas are drawn on top of those before them. */
  kind: "line" | "steps" | "points" | "edge" | "area";
}

/** Draws a chart into an element and follows the element's width. */
export class Plot {
  private plot: uPlot | null = null;
  private readonly watch: ResizeObserver;
  private readonly listening = new AbortController();
  private at = -1;
  private anchor = -1; // where a selection by keys begins
  private part: Part | null; // of the x axis; null is all of it
  /** The labels of the axes that are drawn, by their values. */
  private readonly ticks: Record<"x" | "y", (readonly [value: number, text: string])[]> = { x: [], y: [] };

  constructor(
    readonly el: HTMLElement,
    readonly chart: Chart,
    private readonly say: (text: string) => void,
    later = false,
  ) {
    this.part = chart.part ?? null;
    this.watch = new ResizeObserver(() => this.fit());
    if (!later) this.draw();
    this.watch.observe(el);
    el.addEventListener("keydown", (e) => this.key(e), { signal: this.listening.signal });
  }

  /** Ends the chart; its element may be used for another one. */
  end(): void {
    this.clear();
    this.watch.disconnect();
    this.listening.abort();
  }

  /** Redraws with the current colors. */
  draw(): void {
    const { part } = this;
    this.plot?.destroy();
    this.plot = new uPlot(this.options(), this.data(), this.el);
    if (part) this.plot.setScale("x", { min: part.from, max: part.to });
  }

  /** Remembers the part that is shown. */
  private scaled(u: uPlot): void {
    const { min, max } = u.scales["x"]!;
    const xs = this.chart.columns[0] ?? [];
    if (u.status !== 1 || min == null || max == null || xs.length === 0) return;
    const all = min <= xs[0]! && max >= xs[xs.length - 1]!;
    const part = all ? null : { from: min, to: max };
    if (part?.from === this.part?.from && part?.to === this.part?.to) return;
    this.part = part;
    this.chart.shown?.(part);
  }

  /** The columns, in which areas are added up. */
  private data(): uPlot.AlignedData {
    const [x = [], ...rest] = this.chart.columns;
    const areas = this.chart.series.filter((s) => s.kind === "area").length;
    return [x, ...stacked(rest.slice(0, areas)), ...rest.slice(areas)] as uPlot.AlignedData;
  }

  /** Frees the drawing until the next draw. */
  clear(): void {
    this.plot?.destroy();
    this.plot = null;
  }

  get drawn(): boolean {
    return this.plot !== null;
  }

  private width(): number {
    return Math.max(this.el.clientWidth, 200);
  }

  private height(): number {
    return this.width() < 500 ? 220 : 300;
  }

  private fit(): void {
    const p = this.plot;
    if (p && p.width !== this.width()) p.setSize({ width: this.width(), height: this.height() });
  }

  /** Arrow keys move along the points, which are read out. */
  private key(e: KeyboardEvent): void {
    const p = this.plot;
    const xs = this.chart.columns[0] ?? [];
    if (!p || xs.length === 0) return;
    if (e.key === "Enter" && this.chart.select && this.at >= 0) {
      e.preventDefault();
      const ends = [this.at, this.anchor < 0 ? this.at : this.anchor].sort((a, b) => a - b) as [number, number];
      return this.chart.select(xs[ends[0]]!, xs[ends[1] + 1] ?? xs[ends[1]]!);
    }
    const to: Record<string, number> = { ArrowRight: this.at + 1, ArrowLeft: this.at - 1, Home: 0, End: xs.length - 1 };
    const next = to[e.key];
    if (next === undefined) return;
    e.preventDefault();
    if (!e.shiftKey || !this.chart.select) this.anchor = -1;
    else if (this.anchor < 0) this.anchor = Math.max(0, this.at);
    this.at = Math.min(Math.max(next, 0), xs.length - 1);
    const x = xs[this.at] as number;
    if (this.chart.select) this.showSelection(p);
    p.setCursor({ left: p.valToPos(x, "x"), top: p.over.clientHeight / 2 });
    if (this.chart.read) return this.say(this.chart.read(this.at));
    const parts = this.chart.series.flatMap((s, i) => {
      const v = this.chart.columns[i + 1]?.[this.at];
      return v === null || v === undefined ? [] : [`${s.name} ${this.chart.y.text(v)}`];
    });
    this.say(`${this.chart.x.text(x)}: ${parts.join(", ")}`);
  }

  /** Shows what arrow keys have selected. */
  private showSelection(p: uPlot): void {
    const xs = this.chart.columns[0] ?? [];
    const [a, b] = this.anchor < 0 ? [0, 0] : [this.anchor, this.at].sort((a, b) => a - b);
    const left = p.valToPos(xs[a!]!, "x");
    const right = this.anchor < 0 ? left : p.valToPos(xs[b! + 1] ?? xs[b!]!, "x");
    p.setSelect({ left, width: right - left, top: 0, height: p.over.clientHeight }, false);
  }

  /** Labels of the x axis, without those that would overlap the previous one. */
  private labels(u: uPlot, splits: (number | null)[]): string[] {
    let free = -Infinity;
    return splits.map((v) => {
      if (v === null) return "";
      const text = this.chart.x.text(v);
      const at = u.valToPos(v, "x");
      const half = text.length * 3.6;
      if (at - half < free) return "";
      free = at + half + 6;
      return text;
    });
  }

  private options(): uPlot.Options {
    const style = getComputedStyle(document.documentElement);
    const color = (name: string) => style.getPropertyValue(name).trim();
    const { x, y } = this.chart;
    const axis = {
      stroke: color("--quiet"),
      grid: { stroke: color("--line"), width: 1 },
      ticks: { stroke: color("--line"), width: 1 },
      font: "12px system-ui, sans-serif",
      labelFont: "12px system-ui, sans-serif",
    };
    return {
      width: this.width(),
      height: this.height(),
      legend: this.chart.read ? { show: false } : { live: true },
      ...(this.chart.band
        ? {
            bands: [
              {
                series: [this.chart.band.high + 1, this.chart.band.low + 1],
                fill: `color-mix(in oklch, ${color(this.chart.band.color)} 22%, transparent)`,
              },
            ],
          }
        : this.chart.series.some((s) => s.kind === "area")
          ? {
              bands: this.chart.series.flatMap((s, i) =>
                s.kind === "area" && i > 0 ? [{ series: [i + 1, i] as [number, number] }] : [],
              ),
            }
          : {}),
      hooks: {
        drawAxes: [(u) => this.drawMarks(u, color)],
        setScale: [(u, axis) => axis === "x" && this.scaled(u)],
        setCursor: [(u) => this.chart.read?.(u.cursor.idx ?? null)],
        setSelect: [
          (u) => {
            const { left, width } = u.select;
            if (this.chart.select && width > 2)
              this.chart.select(u.posToVal(left, "x"), u.posToVal(left + width, "x"));
          },
        ],
      },
      cursor: { drag: { x: true, y: false, setScale: !this.chart.select } },
      scales: {
        x: { time: false, distr: x.log ? 3 : 1 },
        y: y.log ? { distr: 3 } : { range: (_, min, max) => span(y.from?.(min, max) ?? 0, max) },
      },
      axes: [
        {
          ...axis,
          label: x.label,
          labelSize: 18,
          size: 34,
          values: (u, splits) => this.tick("x", splits, this.labels(u, splits)),
          ...(x.splits ? { splits: x.splits, filter: (_: uPlot, s: number[]) => s } : {}),
        },
        {
          ...axis,
          size: 62,
          values: (_, splits) =>
            this.tick(
              "y",
              splits,
              splits.map((v) => (v === null ? "" : y.text(v))),
            ),
        },
      ],
      series: [
        { label: x.label, value: (_, v) => (v === null ? "–" : x.text(v)) },
        ...this.chart.series.map((s, i): uPlot.Series => {
          const stroke = color(s.color);
          return {
            label: s.name,
            stroke,
            width: s.kind === "points" || s.kind === "edge" ? 0 : s.kind === "area" ? 1 : 2,
            spanGaps: true,
            value: (_, v) => (v === null ? "–" : y.text(v)),
            points:
              s.kind === "edge"
                ? { show: false }
                : s.kind === "points"
                  ? { show: true, size: 9, fill: stroke, stroke }
                  : { show: !s.dashed && (this.chart.columns[i + 1]?.filter((v) => v !== null).length ?? 0) < 3 },
            ...(s.dashed ? { dash: [6, 4] } : {}),
            ...(s.kind === "area" && uPlot.paths.stepped
              ? { paths: uPlot.paths.stepped({ align: 1 }), fill: `color-mix(in oklch, ${stroke} 62%, transparent)` }
              : {}),
            ...(s.kind === "steps" && uPlot.paths.stepped
              ? { paths: uPlot.paths.stepped({ align: -1 }), fill: `color-mix(in oklch, ${stroke} 18%, transparent)` }
              : {}),
          };
        }),
      ],
    };
  }

  /** Remembers the labels of an axis. */
  private tick(axis: "x" | "y", splits: (number | null)[], texts: string[]): string[] {
    this.ticks[axis] = splits.flatMap((v, i) => (v === null ? [] : [[v, texts[i] ?? ""] as const]));
    return texts;
  }

  /** The size of the drawing; 0 before it is drawn. */
  get size(): { width: number; height: number } {
    return { width: this.plot?.width ?? 0, height: this.plot?.height ?? 0 };
  }

  /** Draws the part that is shown as vectors, with its upper left corner at a position. */
  svg(pen: SvgPen, left: number, top: number): void {
    const p = this.plot;
    if (!p) return;
    const style = getComputedStyle(document.documentElement);
    const color = (name: string) => style.getPropertyValue(name).trim();
    const ratio = p.ctx.canvas.width / p.width;
    const { clientWidth: w, clientHeight: h } = p.over;
    const box = { x: left + p.bbox.left / ratio, y: top + p.bbox.top / ratio, w, h };
    const at = (x: number, y: number): [number, number] => {
      const far = p.valToPos(y, "y");
      // What is beyond the axis, such as 0 on a logarithmic one, ends at it.
      return [box.x + p.valToPos(x, "x"), box.y + (Number.isFinite(far) ? Math.max(0, Math.min(far, box.h)) : box.h)];
    };
    pen.font = "12px system-ui, sans-serif";
    pen.lineWidth = 1;
    pen.strokeStyle = color("--line");
    pen.fillStyle = color("--quiet");
    pen.anchor = "middle";
    for (const [v, text] of this.ticks.x) {
      const x = box.x + p.valToPos(v, "x");
      if (x < box.x - 1 || x > box.x + box.w + 1) continue;
      pen.line([[x, box.y], [x, box.y + box.h]]);
      pen.fillText(text, x, box.y + box.h + 14);
    }
    pen.fillText(this.chart.x.label, box.x + box.w / 2, box.y + box.h + 32);
    pen.anchor = "end";
    for (const [v, text] of this.ticks.y) {
      const y = box.y + p.valToPos(v, "y");
      if (y < box.y - 1 || y > box.y + box.h + 1) continue;
      pen.line([[box.x, y], [box.x + box.w, y]]);
      pen.fillText(text, box.x - 8, y);
    }
    pen.anchor = "start";
    const [xs, ...columns] = p.data;
    const { min = -Infinity, max = Infinity } = p.scales["x"] ?? {};
    const base = this.chart.y.log ? (p.scales["y"]?.min ?? 0) : 0;
    const points = (i: number) =>
      [...(xs ?? [])].flatMap((x, k) => {
        const y = columns[i]?.[k];
        const beyond = x < (min ?? -Infinity) || x > (max ?? Infinity);
        return y === null || y === undefined || beyond ? [] : [[x, y] as const];
      });
    const { band } = this.chart;
    if (band) {
      pen.fillStyle = color(band.color);
      pen.globalAlpha = 0.22;
      pen.area([...points(band.high), ...points(band.low).reverse()].map(([x, y]) => at(x, y)));
    }
    this.chart.series.forEach((s, i) => {
      const stepped = s.kind === "area" ? 1 : s.kind === "steps" ? -1 : 0;
      const line = steps(points(i), stepped);
      if (line.length === 0 || s.kind === "edge") return;
      const ink = color(s.color);
      const drawn = line.map(([x, y]) => at(x, y));
      pen.fillStyle = pen.strokeStyle = ink;
      pen.globalAlpha = 1;
      if (s.kind === "points") {
        for (const [x, y] of drawn) pen.fillRect(x - 4, y - 4, 8, 8);
        return;
      }
      if (stepped !== 0) {
        const below =
          s.kind === "area" && i > 0 ? steps(points(i - 1), stepped) : line.map(([x]) => [x, base] as const);
        pen.globalAlpha = s.kind === "area" ? 0.62 : 0.18;
        pen.area([...drawn, ...below.map(([x, y]) => at(x, y)).reverse()]);
        pen.globalAlpha = 1;
      }
      pen.lineWidth = s.kind === "area" ? 1 : 2;
      pen.line(drawn, s.dashed);
    });
    pen.globalAlpha = 1;
    pen.lineWidth = 2;
    for (const m of this.chart.marks ?? []) {
      const x = box.x + p.valToPos(m.x, "x");
      pen.strokeStyle = color(m.color);
      if (x >= box.x && x <= box.x + box.w) pen.line([[x, box.y], [x, box.y + box.h]], true);
    }
  }

  private drawMarks(u: uPlot, color: (name: string) => string): void {
    const g = u.ctx;
    g.save();
    g.lineWidth = 2 * devicePixelRatio;
    g.setLineDash([6 * devicePixelRatio, 4 * devicePixelRatio]);
    for (const m of this.chart.marks ?? []) {
      const x = u.valToPos(m.x, "x", true);
      if (x < u.bbox.left || x > u.bbox.left + u.bbox.width) continue;
      g.strokeStyle = color(m.color);
      g.beginPath();
      g.moveTo(x, u.bbox.top);
      g.lineTo(x, u.bbox.top + u.bbox.height);
      g.stroke();
    }
    g.restore();
  }
}

/** The range of an axis with a margin above. */
function span(low: number, high: number): [number, number] {
  return high > low ? [low, high + (high - low) * 0.05] : [low, low + (Math.abs(low) || 1)];
}

/** About how wide a text is, in pixels: Chinese characters are wider. */
function textWidth(text: string): number {
  return [...text].reduce((n, c) => n + (c > "\u2e80" ? 13 : 7), 0);
}

/** Charts below each other as SVG, each with its title and the names of its lines. */
export function chartsSvg(plots: readonly Plot[], pen: SvgPen, title: string): string {
  const style = getComputedStyle(document.documentElement);
  const color = (name: string) => style.getPropertyValue(name).trim();
  const drawn = plots.filter((p) => p.drawn);
  const margin = 16;
  const head = 48;
  let y = margin;
  for (const p of drawn) {
    pen.font = "12px system-ui, sans-serif";
    pen.fillStyle = color("--text");
    pen.fillText(p.chart.title, margin, y + 10);
    let x = margin;
    for (const s of p.chart.series) {
      if (s.kind === "edge") continue;
      pen.fillStyle = color(s.color);
      pen.fillRect(x, y + 24, 10, 10);
      pen.fillStyle = color("--text");
      pen.fillText(s.name, x + 14, y + 29);
      x += 30 + textWidth(s.name);
    }
    p.svg(pen, margin, y + head);
    y += head + p.size.height + margin;
  }
  return pen.toString(Math.max(0, ...drawn.map((p) => p.size.width)) + 2 * margin, y, title);
}
