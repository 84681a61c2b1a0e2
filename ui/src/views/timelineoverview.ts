import type { Point, State } from "../api/timeline.ts";
import {
  drawOverview,
  drawWindow,
  overviewHeight,
  overviewName,
  utilisation,
  type OverviewData,
} from "../draw/overview.ts";
import { sized, timeOf, xOf, type Inks, type Scale } from "../draw/timeline.ts";
import { quantity } from "../lib/format.ts";
import { laneData, type LaneData } from "../lib/lane.ts";
import { same } from "../lib/same.ts";
import { colorOf } from "../lib/states.ts";
import { within, zoomAt, type Stretch } from "../lib/timescale.ts";
import type { TimelineSource } from "../state/timelinesource.ts";
import { timelineTexts } from "../texts/timeline.ts";
import { h } from "./dom.ts";

const { t } = timelineTexts;

/** The resolution of the overview, and its number of processors. */
const columns = 400;
const maxProcs = 256;

/** The distance from an edge of the window, in pixels, within which the pointer grabs it. */
const grip = 7;

/** The whole trace in a strip, with the window, which can be moved, resized or redrawn. */
export class Overview {
  readonly canvas = h("canvas", { class: "overview", role: "img" });
  private data: OverviewData = { procs: [], gc: [], heap: [] };
  private bars: number[][] = [];

  constructor(
    private readonly source: TimelineSource,
    private readonly window: () => Stretch,
    private readonly scale: () => Scale,
    private readonly set: (w: Stretch) => void,
    changed: () => void,
  ) {
    this.listen();
    this.load().then(changed, () => undefined); // on failure, the rows show the error
  }

  /** Loads the overview's data, once. */
  private async load(): Promise<void> {
    const { extent, trace } = this.source;
    const never = new AbortController().signal;
    const rows = (type: string) =>
      this.source.rows({ type, match: "", order: "time", skip: 0, limit: maxProcs, window: null }, never);
    const [procs, ranges] = await Promise.all([rows("proc"), rows("range")]);
    const collector = ranges.rows.filter((r) => /GC concurrent mark/.test(r.name));
    const heap = trace.metrics.find((m) => /heap\/objects/.test(m)) ?? trace.metrics.find((m) => /heap/.test(m));
    const [answer, points] = await Promise.all([
      this.source.spans(
        [...procs.rows, ...collector].map((r) => r.id),
        extent,
        columns,
        never,
      ),
      heap ? this.source.metric(heap, extent, columns) : Promise.resolve<Point[]>([]),
    ]);
    const lanes = new Map<string, LaneData>(
      answer.rows.map((r) => [r.id, laneData(r, extent.from, extent.to, columns)]),
    );
    const of = (id: string) => lanes.get(id) ?? laneData({ id }, extent.from, extent.to, columns);
    const gc = collector.flatMap((r) => [...of(r.id).spans, ...of(r.id).parts].map((s) => ({ from: s[0], to: s[1] })));
    this.data = { procs: procs.rows.map((r) => of(r.id)), gc, heap: points };
    this.bars = utilisation(this.data.procs, extent, columns, (state) =>
      colorOf((trace.states as readonly State[])[state]),
    );
  }

  /** The whole trace without the window, which is drawn again only where its size, colors or data change. */
  private readonly whole = document.createElement("canvas");
  private wholeOf: readonly unknown[] = [];
  private drawn: readonly unknown[] = [];

  draw(inks: Inks): void {
    const s = this.scale();
    const shown = this.window();
    const of = [s.left, s.width, devicePixelRatio, inks, this.bars];
    const now = [...of, shown.from, shown.to];
    if (same(now, this.drawn)) return;
    this.drawn = now;
    if (!same(of, this.wholeOf)) {
      const g = sized(this.whole, s.left + s.width, overviewHeight);
      if (!g) return;
      drawOverview(g, s, this.bars, this.data, inks);
      this.names(g, s, inks);
      this.wholeOf = of;
    }
    const g = sized(this.canvas, s.left + s.width, overviewHeight);
    if (!g) return;
    g.drawImage(this.whole, 0, 0, s.left + s.width, overviewHeight);
    drawWindow(g, s, shown, inks);
    this.canvas.setAttribute("aria-label", overviewName(this.bars, this.data, shown));
  }

  /** Draws what the strips show. */
  private names(g: CanvasRenderingContext2D, s: Scale, inks: Inks): void {
    if (s.left < 60) return; // no space for names
    g.fillStyle = inks.quiet;
    g.textAlign = "right";
    g.textBaseline = "middle";
    g.fillText(t("strip.processors"), s.left - 8, 14);
    g.fillStyle = inks.heap;
    if (this.data.heap.length > 0) {
      const size = quantity(Math.max(...this.data.heap.map((p) => p.max)), "bytes");
      g.fillText(s.left > 150 ? t("strip.most", { size }) : t("strip.heap"), s.left - 8, 32);
    }
    g.fillStyle = inks.quiet;
    if (this.data.gc.length > 0) g.fillText(t("strip.collector"), s.left - 8, overviewHeight - 6);
  }

  private listen(): void {
    const { canvas } = this;
    const xIn = (e: PointerEvent | WheelEvent) => e.clientX - canvas.getBoundingClientRect().left;
    let held: { what: "from" | "to" | "all" | "new"; at: number; was: Stretch } | null = null;
    const what = (x: number): "from" | "to" | "all" | "new" => {
      const w = this.window();
      const [x0, x1] = [xOf(this.scale(), w.from), xOf(this.scale(), w.to)];
      if (Math.abs(x - x0) <= grip) return "from";
      if (Math.abs(x - x1) <= grip) return "to";
      const { extent } = this.source;
      return x > x0 && x < x1 && w.to - w.from < (extent.to - extent.from) * 0.999 ? "all" : "new";
    };
    canvas.addEventListener("pointerdown", (e) => {
      if (e.button !== 0) return;
      canvas.setPointerCapture(e.pointerId);
      held = { what: what(xIn(e)), at: timeOf(this.scale(), xIn(e)), was: this.window() };
    });
    canvas.addEventListener("pointermove", (e) => {
      const x = xIn(e);
      if (!held) {
        canvas.style.cursor = { from: "ew-resize", to: "ew-resize", all: "grab", new: "crosshair" }[what(x)];
        return;
      }
      const { extent } = this.source;
      const at = Math.min(Math.max(timeOf(this.scale(), x), extent.from), extent.to);
      const { was } = held;
      if (held.what === "all") this.set(within({ from: was.from + at - held.at, to: was.to + at - held.at }, extent));
      else {
        const fixed = held.what === "from" ? was.to : held.what === "to" ? was.from : held.at;
        if (Math.abs(xOf(this.scale(), fixed) - x) > 2)
          this.set(within({ from: Math.min(at, fixed), to: Math.max(at, fixed) }, extent));
      }
    });
    for (const type of ["pointerup", "pointercancel"] as const) canvas.addEventListener(type, () => (held = null));
    canvas.addEventListener(
      "wheel",
      (e) => {
        e.preventDefault();
        const w = this.window();
        const at = Math.min(Math.max(timeOf(this.scale(), xIn(e)), w.from), w.to);
        this.set(zoomAt(w, at, Math.exp(Math.min(Math.max(e.deltaY, -300), 300) * 0.0025), this.source.extent));
      },
      { passive: false },
    );
  }
}
