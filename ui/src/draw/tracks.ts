import type { MarkRow } from "../api/timeline.ts";
import { bareName, hash } from "../lib/names.ts";
import type { TrackBox } from "../lib/stacktrack.ts";
import type { Stretch } from "../lib/timescale.ts";
import { laneHeight, xOf, type Inks, type Scale } from "./timeline.ts";

/** Pixels of a line of regions and of a call in the stack track. */
export const regionHeight = 15;
export const frameHeight = 13;

/** Draws regions and messages of a goroutine on its lane: thin lines at its bottom, and marks at its top. */
export function drawMarks(g: CanvasRenderingContext2D, s: Scale, top: number, row: MarkRow, inks: Inks): void {
  g.fillStyle = inks.ring;
  for (const [from = 0, to = 0, , depth = 0] of row.regions) {
    const [x0, x1] = ends(s, { from, to });
    if (x1 <= x0 || depth > 2) continue;
    g.fillRect(x0, top + laneHeight - 2 - 3 * depth, Math.max(x1 - x0 - 0.5, 0.7), 2);
  }
  g.fillStyle = inks.text;
  const seen = row.logs.filter((l) => l.at >= s.window.from && l.at <= s.window.to);
  if (seen.length * 25 > s.width) return; // too many to distinguish
  for (const l of seen) {
    const x = xOf(s, l.at);
    g.beginPath();
    g.moveTo(x - 3.5, top);
    g.lineTo(x + 3.5, top);
    g.lineTo(x, top + 5);
    g.fill();
  }
}

/** Draws the regions of a goroutine below its lane, one line for each depth. */
export function drawRegions(
  g: CanvasRenderingContext2D,
  s: Scale,
  top: number,
  row: MarkRow,
  names: readonly string[],
  inks: Inks,
  deepest: number,
): void {
  g.textBaseline = "middle";
  g.textAlign = "left";
  for (const [from = 0, to = 0, name = 0, depth = 0] of row.regions) {
    const [x0, x1] = ends(s, { from, to });
    if (x1 <= x0 || depth >= deepest) continue;
    const y = top + depth * regionHeight;
    g.fillStyle = inks.kind(names[name] ?? "");
    g.fillRect(x0, y, Math.max(x1 - x0 - 0.5, 0.7), regionHeight - 1);
    label(g, names[name] ?? "", x0, x1, y + regionHeight / 2, inks);
  }
}

/** Draws the calls of a goroutine below its lane, the outermost at the top. */
export function drawStack(
  g: CanvasRenderingContext2D,
  s: Scale,
  top: number,
  boxes: readonly TrackBox[],
  inks: Inks,
): void {
  g.textBaseline = "middle";
  g.textAlign = "left";
  for (const b of boxes) {
    const [x0, x1] = ends(s, b);
    if (x1 - x0 < 0.4) continue;
    const y = top + b.depth * frameHeight;
    g.fillStyle = inks.kind(b.frame.function);
    g.globalAlpha = 0.85 - 0.1 * (hash(b.frame.function) % 3);
    g.fillRect(x0, y, Math.max(x1 - x0 - 0.5, 0.4), frameHeight - 1);
    g.globalAlpha = 1;
    label(g, bareName(b.frame.function), x0, x1, y + frameHeight / 2, inks);
  }
}

function ends(s: Scale, b: Stretch): [number, number] {
  return [Math.max(xOf(s, b.from), s.left), Math.min(xOf(s, b.to), s.left + s.width)];
}

function label(g: CanvasRenderingContext2D, text: string, x0: number, x1: number, y: number, inks: Inks): void {
  const room = x1 - x0 - 6;
  if (room < 24) return;
  let t = text.slice(0, 120);
  const width = g.measureText(t).width;
  if (width > room) t = `${t.slice(0, Math.max(Math.floor((t.length * room) / width) - 1, 0))}…`;
  if (t.length < 4) return;
  g.fillStyle = inks.boxText;
  g.fillText(t, x0 + 3, y);
}

/** Shades the times of the collector and of stops of the world over all rows. */
export function drawShades(
  g: CanvasRenderingContext2D,
  s: Scale,
  height: number,
  gc: readonly Stretch[],
  stops: readonly Stretch[],
  inks: Inks,
): void {
  for (const [list, ink, alpha] of [
    [gc, inks.states.gc, 0.13],
    [stops, inks.states.stopped, 0.4],
  ] as const) {
    g.fillStyle = ink;
    g.globalAlpha = alpha;
    let until = -1; // of what is shaded, so that overlapping ranges are not darker
    for (const r of list) {
      const [x0, x1] = ends(s, r);
      const from = Math.max(x0, until);
      if (x1 < s.left || x0 > s.left + s.width || x1 - from < 0) continue;
      // What is too short to be seen is a faint line, or many would hide the rows.
      g.globalAlpha = x1 - x0 < 1 ? alpha / 3 : alpha;
      g.fillRect(from, 0, Math.max(x1 - from, 1), height);
      until = Math.max(x1, until);
    }
    g.globalAlpha = 1;
  }
}

/** A wake-up: from a row, or from outside the picture, to another one. */
export interface Flow {
  readonly at: number;
  readonly from: number;
  readonly to: number;
}

/** Draws arrows of wake-ups, from the middle of a lane to the edge of another. */
export function drawFlows(g: CanvasRenderingContext2D, s: Scale, flows: readonly Flow[], ink: string): void {
  g.strokeStyle = ink;
  g.fillStyle = ink;
  g.lineWidth = 1.5;
  for (const f of flows) {
    const x = xOf(s, f.at);
    if (x < s.left || x > s.left + s.width) continue;
    const down = f.to > f.from;
    const end = f.to + (down ? 0 : laneHeight);
    const tip = down ? end - 5 : end + 5;
    g.beginPath();
    g.moveTo(x, f.from + laneHeight / 2);
    const bend = Math.min(14, Math.abs(f.to - f.from) / 4);
    g.bezierCurveTo(x - bend, f.from + laneHeight / 2, x - bend, tip, x, tip);
    g.stroke();
    g.beginPath();
    g.moveTo(x, end);
    g.lineTo(x - 3.5, tip);
    g.lineTo(x + 3.5, tip);
    g.fill();
  }
  g.lineWidth = 1;
}

/** Draws how busy a row is, pixel by pixel: the darker the busier. */
export function drawHeat(
  g: CanvasRenderingContext2D,
  s: Scale,
  top: number,
  height: number,
  busy: Float32Array,
  inks: Inks,
): void {
  g.fillStyle = inks.states.running;
  for (let x = 0; x < busy.length;) {
    const level = Math.round(Math.min(busy[x] ?? 0, 1) * 12);
    let to = x + 1;
    while (to < busy.length && Math.round(Math.min(busy[to] ?? 0, 1) * 12) === level) to++;
    if (level > 0) {
      g.globalAlpha = 0.08 + (0.92 * level) / 12;
      g.fillRect(s.left + x, top, to - x, height);
    }
    x = to;
  }
  g.globalAlpha = 1;
}
