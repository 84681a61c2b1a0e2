import type { Point } from "../api/timeline.ts";
import { sums, type LaneData } from "../lib/lane.ts";
import { colorKeys, waits, type ColorKey } from "../lib/states.ts";
import type { Stretch } from "../lib/timescale.ts";
import { duration } from "../lib/timescale.ts";
import { timelineTexts } from "../texts/timeline.ts";
import { xOf, type Inks, type Scale } from "./timeline.ts";

export const overviewHeight = 66;
const strip = 7;

export interface OverviewData {
  readonly procs: readonly LaneData[];
  /** The times of garbage collection. */
  readonly gc: readonly Stretch[];
  readonly heap: readonly Point[];
}

/** Shares of the processors by color, for each column. */
export function utilisation(
  procs: readonly LaneData[],
  extent: Stretch,
  columns: number,
  key: (state: number) => ColorKey,
): number[][] {
  const step = (extent.to - extent.from) / columns;
  return Array.from({ length: columns }, (_, i) => {
    const shares = new Array<number>(colorKeys.length).fill(0);
    const at = { from: extent.from + i * step, to: extent.from + (i + 1) * step };
    for (const p of procs)
      for (const [state, time] of sums(p, at)) shares[colorKeys.indexOf(key(state))] += time / step / procs.length;
    return shares;
  });
}

/** Draws the whole trace: use of processors, garbage collection below it, the heap as a line. */
export function drawOverview(
  g: CanvasRenderingContext2D,
  s: Scale,
  columns: readonly number[][],
  d: OverviewData,
  inks: Inks,
): void {
  const bottom = overviewHeight - strip - 3;
  g.fillStyle = inks.panel;
  g.fillRect(s.left, 0, s.width, bottom);
  const width = s.width / Math.max(columns.length, 1);
  columns.forEach((shares, i) => {
    let y = bottom;
    shares.forEach((part, k) => {
      if (part <= 0 || waits(colorKeys[k])) return;
      const h = Math.min(part * bottom, y);
      g.fillStyle = inks.states[colorKeys[k]];
      g.fillRect(s.left + i * width, y - h, width + 0.3, h);
      y -= h;
    });
  });
  g.fillStyle = inks.states.gc;
  for (const r of d.gc) {
    const x = xOf(s, r.from);
    g.fillRect(x, bottom + 2, Math.max(xOf(s, r.to) - x, 1), strip - 1);
  }
  const most = Math.max(...d.heap.map((p) => p.max), 1);
  g.strokeStyle = inks.heap;
  g.lineWidth = 1.5;
  g.beginPath();
  d.heap.forEach((p, i) => {
    const x = xOf(s, p.at);
    const y = (v: number) => bottom - 2 - (v / most) * (bottom - 8);
    if (i === 0) g.moveTo(x, y(p.min));
    g.lineTo(x, y(p.min));
    g.lineTo(x, y(p.max));
    g.lineTo(x, y(p.last));
  });
  g.stroke();
  g.lineWidth = 1;
}

/** Draws the window over the whole trace. */
export function drawWindow(g: CanvasRenderingContext2D, s: Scale, shown: Stretch, inks: Inks): void {
  const [x0, x1] = [xOf(s, shown.from), Math.max(xOf(s, shown.to), xOf(s, shown.from) + 3)];
  g.fillStyle = inks.dim;
  g.fillRect(s.left, 0, x0 - s.left, overviewHeight);
  g.fillRect(x1, 0, s.left + s.width - x1, overviewHeight);
  g.strokeStyle = inks.ring;
  g.strokeRect(
    Math.max(x0, s.left) + 0.5,
    0.5,
    Math.min(x1, s.left + s.width) - Math.max(x0, s.left) - 1,
    overviewHeight - 1,
  );
  g.fillStyle = inks.ring;
  for (const x of [x0, x1]) g.fillRect(x - 1.5, overviewHeight / 2 - 9, 3, 18);
}

/** A description of the overview. */
export function overviewName(columns: readonly number[][], d: OverviewData, shown: Stretch): string {
  const work = columns.map((shares) => shares.reduce((a, v, k) => a + (waits(colorKeys[k]) ? 0 : v), 0));
  const mean = work.length > 0 ? work.reduce((a, b) => a + b, 0) / work.length : 0;
  return timelineTexts.t("overviewtext", {
    procs: d.procs.length,
    busy: Math.round(mean * 100),
    ranges: d.gc.length,
    length: duration(shown.to - shown.from),
    from: duration(shown.from),
  });
}
