import uPlot from "uplot";

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
}

export interface Series {
  name: string;
  /** The custom property with the color. */
  color: string;
  dashed?: boolean;
  kind: "line" | "steps" | "points" | "edge";
}

/** Draws a chart into an element and follows the element's width. */
export class Plot {
  private plot: uPlot | null = null;
  private readonly watch: ResizeObserver;
  private at = -1;

  constructor(
    readonly el: HTMLElement,
    private readonly chart: Chart,
    private readonly say: (text: string) => void,
    later = false,
  ) {
    this.watch = new ResizeObserver(() => this.fit());
    if (!later) this.draw();
    this.watch.observe(el);
    el.addEventListener("keydown", (e) => this.key(e));
  }

  /** Redraws with the current colors. */
  draw(): void {
    this.plot?.destroy();
    this.plot = new uPlot(this.options(), this.chart.columns as uPlot.AlignedData, this.el);
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
    const to: Record<string, number> = { ArrowRight: this.at + 1, ArrowLeft: this.at - 1, Home: 0, End: xs.length - 1 };
    const next = to[e.key];
    if (next === undefined) return;
    e.preventDefault();
    this.at = Math.min(Math.max(next, 0), xs.length - 1);
    const x = xs[this.at] as number;
    p.setCursor({ left: p.valToPos(x, "x"), top: p.over.clientHeight / 2 });
    if (this.chart.read) return this.say(this.chart.read(this.at));
    const parts = this.chart.series.flatMap((s, i) => {
      const v = this.chart.columns[i + 1]?.[this.at];
      return v === null || v === undefined ? [] : [`${s.name} ${this.chart.y.text(v)}`];
    });
    this.say(`${this.chart.x.text(x)}: ${parts.join(", ")}`);
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
        : {}),
      hooks: {
        drawAxes: [(u) => this.drawMarks(u, color)],
        setCursor: [(u) => this.chart.read?.(u.cursor.idx ?? null)],
      },
      cursor: { drag: { x: true, y: false } },
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
            width: s.kind === "points" || s.kind === "edge" ? 0 : 2,
            spanGaps: true,
            value: (_, v) => (v === null ? "–" : y.text(v)),
            points:
              s.kind === "edge"
                ? { show: false }
                : s.kind === "points"
                  ? { show: true, size: 9, fill: stroke, stroke }
                  : { show: !s.dashed && (this.chart.columns[i + 1]?.filter((v) => v !== null).length ?? 0) < 3 },
            ...(s.dashed ? { dash: [6, 4] } : {}),
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
