import { axisLabels } from "../lib/benchunit.ts";
import { ticks, type Range } from "../lib/bench.ts";
import type { BenchPageCell } from "../api/bench.ts";

/** Height of a lane, the same as of the lines of the table next to it, and of the axis below. */
export const laneHeight = 28;
export const axisHeight = 20;

/** Names of custom properties with the colors of columns. */
export const columnColors = ["--series-1", "--series-2", "--series-3", "--series-4", "--series-5", "--series-6"];

/** A point of a drawing that the pointer can select. */
export interface Spot {
  readonly x: number;
  readonly y: number;
  readonly lane: number;
  /** Index in the lane's values; -1 is the center. */
  readonly index: number;
}

export interface StripData {
  readonly lanes: readonly BenchPageCell[];
  readonly binary: boolean;
  readonly range: Range;
}

/** A canvas as large as its element, at the screen's resolution, with the current colors. */
export function prepare(
  canvas: HTMLCanvasElement,
  width: number,
  height: number,
): { g: CanvasRenderingContext2D; color: (name: string) => string } | null {
  const ratio = Math.min(devicePixelRatio || 1, 3);
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  canvas.style.height = `${height}px`;
  const g = canvas.getContext("2d");
  if (!g) return null;
  g.scale(ratio, ratio);
  g.font = "12px system-ui, sans-serif";
  const style = getComputedStyle(document.documentElement);
  return { g, color: (name) => style.getPropertyValue(name).trim() };
}

/**
 * Draws the measurements of each column as points on one axis: from the top of a
 * lane to its bottom in order of time. A bar is the interval, a line the center.
 * Points beyond the axis are arrows at its end. Returns where the points are.
 */
export function drawStrip(canvas: HTMLCanvasElement, width: number, data: StripData, mark: Spot | null): Spot[] {
  const height = data.lanes.length * laneHeight + axisHeight;
  const pen = prepare(canvas, width, height);
  if (!pen) return [];
  const { g, color } = pen;
  const { low, high } = data.range;
  const edge = 10;
  const x = (v: number) => edge + ((v - low) / (high - low)) * (width - 2 * edge);
  const bottom = data.lanes.length * laneHeight;

  const marks = ticks(data.range, Math.max(2, Math.floor(width / 90)));
  const labels = axisLabels(marks, data.binary);
  g.textBaseline = "top";
  g.textAlign = "center";
  marks.forEach((v, i) => {
    g.strokeStyle = color("--line");
    g.beginPath();
    g.moveTo(Math.round(x(v)) + 0.5, 0);
    g.lineTo(Math.round(x(v)) + 0.5, bottom + 4);
    g.stroke();
    const half = g.measureText(labels[i] as string).width / 2;
    g.fillStyle = color("--quiet");
    g.fillText(labels[i] as string, Math.min(Math.max(x(v), half + 1), width - half - 1), bottom + 5);
  });

  const spots: Spot[] = [];
  data.lanes.forEach((cell, lane) => {
    const top = lane * laneHeight;
    const ink = color(columnColors[cell.column % columnColors.length] as string);
    if (cell.bounded) {
      const from = x(cell.low);
      const to = Math.max(x(cell.high), from + 1);
      g.globalAlpha = 0.22;
      g.fillStyle = ink;
      g.fillRect(from, top + 3, to - from, laneHeight - 6);
      g.globalAlpha = 1;
    }
    g.fillStyle = ink;
    const n = cell.values.length;
    g.globalAlpha = n > 400 ? 0.35 : n > 60 ? 0.5 : 0.75;
    cell.values.forEach((v, index) => {
      const y = top + 6 + ((index + 0.5) / n) * (laneHeight - 12);
      const at = Math.min(Math.max(x(v), 3), width - 3);
      g.beginPath();
      if (v < low || v > high) {
        const way = v < low ? -4 : 4;
        g.moveTo(at - way / 2, y - 4);
        g.lineTo(at + way / 2, y);
        g.lineTo(at - way / 2, y + 4);
      } else {
        g.arc(at, y, n > 200 ? 1.8 : 2.6, 0, 7);
      }
      g.fill();
      spots.push({ x: at, y, lane, index });
    });
    g.globalAlpha = 1;
    g.fillStyle = color("--text");
    g.fillRect(Math.round(x(cell.center)) - 1, top + 2, 2, laneHeight - 4);
    spots.push({ x: x(cell.center), y: top + laneHeight / 2, lane, index: -1 });
  });
  if (mark) {
    const at = spots.find((s) => s.lane === mark.lane && s.index === mark.index);
    if (at) ring(g, at, color("--ring"));
  }
  return spots;
}

/** Marks the point that is read out. */
export function ring(g: CanvasRenderingContext2D, at: { x: number; y: number }, ink: string): void {
  g.strokeStyle = ink;
  g.lineWidth = 2;
  g.beginPath();
  g.arc(at.x, at.y, 6, 0, 7);
  g.stroke();
  g.lineWidth = 1;
}
