import uPlot from "uplot";

/** One chart of the load page. Columns are as uPlot has them: x, then each series. */
export interface Chart {
  title: string;
  columns: (number | null)[][];
  series: Series[];
  x: { label: string; log: boolean; text: (v: number) => string; splits?: number[] };
  y: { label: string; log: boolean; text: (v: number) => string };
}

export interface Series {
  name: string;
  /** Name of a custom property that holds the colour. */
  colour: string;
  dashed?: boolean;
  kind: "line" | "steps" | "points";
}

/** Draws a chart into an element and keeps it as wide as that is. */
export class Plot {
  private plot: uPlot | null = null;
  private readonly watch: ResizeObserver;
  private at = -1;

  constructor(
    readonly el: HTMLElement,
    private readonly chart: Chart,
    private readonly say: (text: string) => void,
  ) {
    this.watch = new ResizeObserver(() => this.fit());
    this.draw();
    this.watch.observe(el);
    el.addEventListener("keydown", (e) => this.key(e));
  }

  /** Draws anew, with the colours of now. */
  draw(): void {
    this.plot?.destroy();
    this.plot = new uPlot(this.options(), this.chart.columns as uPlot.AlignedData, this.el);
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

  /** Arrows move along the points, which are read out. */
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
    const parts = this.chart.series.flatMap((s, i) => {
      const v = this.chart.columns[i + 1]?.[this.at];
      return v === null || v === undefined ? [] : [`${s.name} ${this.chart.y.text(v)}`];
    });
    this.say(`${this.chart.x.text(x)}: ${parts.join(", ")}`);
  }

  /** Labels of the x axis; those that would run into the one before are left out. */
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
    const colour = (name: string) => style.getPropertyValue(name).trim();
    const { x, y } = this.chart;
    const axis = { stroke: colour("--quiet"), grid: { stroke: colour("--line"), width: 1 }, ticks: { stroke: colour("--line"), width: 1 }, font: "12px system-ui, sans-serif", labelFont: "12px system-ui, sans-serif" };
    return {
      width: this.width(),
      height: this.height(),
      legend: { live: true },
      cursor: { drag: { x: true, y: false } },
      scales: {
        x: { time: false, distr: x.log ? 3 : 1 },
        y: y.log ? { distr: 3 } : { range: (_, __, max) => [0, (max || 1) * 1.05] },
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
          const stroke = colour(s.colour);
          return {
            label: s.name,
            stroke,
            width: s.kind === "points" ? 0 : 2,
            spanGaps: true,
            value: (_, v) => (v === null ? "–" : y.text(v)),
            points: s.kind === "points" ? { show: true, size: 9, fill: stroke, stroke } : { show: !s.dashed && (this.chart.columns[i + 1]?.filter((v) => v !== null).length ?? 0) < 3 },
            ...(s.dashed ? { dash: [6, 4] } : {}),
            ...(s.kind === "steps" && uPlot.paths.stepped ? { paths: uPlot.paths.stepped({ align: -1 }), fill: `color-mix(in oklch, ${stroke} 18%, transparent)` } : {}),
          };
        }),
      ],
    };
  }
}
