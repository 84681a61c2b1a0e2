import uPlot from "uplot";
import { stacked } from "../lib/layers.ts";

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

  constructor(
    readonly el: HTMLElement,
    private readonly chart: Chart,
    private readonly say: (text: string) => void,
    later = false,
  ) {
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
    this.plot?.destroy();
    this.plot = new uPlot(this.options(), this.data(), this.el);
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
          values: (u, splits) => this.labels(u, splits),
          ...(x.splits ? { splits: x.splits, filter: (_: uPlot, s: number[]) => s } : {}),
        },
        { ...axis, size: 62, values: (_, splits) => splits.map((v) => (v === null ? "" : y.text(v))) },
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
