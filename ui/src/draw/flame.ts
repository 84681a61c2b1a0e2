import { ALL, REST } from "../lib/tree.ts";
import { boxAt, firstInRow, type Scene } from "../lib/scene.ts";
import type { Labels } from "./labels.ts";
import type { Palette } from "./palette.ts";
import type { Pen } from "../lib/svg.ts";

/** Where the scene is on the canvas; lengths in CSS pixels. */
export interface Viewport {
  readonly width: number;
  readonly height: number;
  readonly ratio: number; // device pixels per CSS pixel
  readonly rowHeight: number;
  readonly top: number; // of the graph, scrolled out above the canvas
  readonly rows: number; // rows the graph is drawn in, at least those of the scene; may be a fraction
  readonly flip: boolean; // row 0 at the bottom
  readonly x0: number; // the part of the scene shown, in the scene's unit
  readonly x1: number;
}

export interface Picture {
  readonly scene: Scene;
  readonly view: Viewport;
  readonly palette: Palette;
  readonly labels: Labels;
  readonly color: (box: number) => string;
  readonly name: (box: number) => string;
  readonly match: Uint8Array | null; // per frame
  readonly zoom: number; // box
  readonly focus: number; // box with the keyboard, or -1
  readonly hover: number; // box under the pointer, or -1
  /** Called before a box is drawn. */
  readonly begin?: (box: number) => void;
}

/** Boxes narrower than this are not drawn one by one. */
const THIN = 1;

/** y of a row's upper edge on the canvas. */
export function rowTop(s: Scene, v: Viewport, row: number): number {
  const line = v.flip ? v.rows - 1 - (row - s.minRow) : row - s.minRow;
  return line * v.rowHeight - v.top;
}

/** The box at a point of the canvas, or -1. */
export function hit(s: Scene, v: Viewport, px: number, py: number): number {
  const y = v.flip ? v.rows * v.rowHeight - (py + v.top) : py + v.top;
  const row = Math.floor(y / v.rowHeight) + s.minRow;
  return boxAt(s, row, v.x0 + (px / v.width) * (v.x1 - v.x0));
}

/** Draws the visible part of a scene. Returns the number of boxes drawn. */
export function draw(ctx: Pen, p: Picture): number {
  const { scene: s, view: v, palette } = p;
  ctx.setTransform(v.ratio, 0, 0, v.ratio, 0, 0);
  ctx.fillStyle = palette.ground;
  ctx.fillRect(0, 0, v.width, v.height);
  if (s.width <= 0) return 0;
  ctx.font = p.labels.font;
  ctx.textBaseline = "middle";
  const scale = v.width / (v.x1 - v.x0);
  const thin = THIN / scale;
  const h = v.rowHeight - 1;
  const hatch = hatching(ctx, palette);
  let drawn = 0;

  for (let row = s.minRow; row <= s.maxRow; row++) {
    const y = rowTop(s, v, row);
    if (y + v.rowHeight <= 0 || y >= v.height) continue;
    const end = s.start[row - s.minRow + 1];
    for (let k = firstInRow(s, row, v.x0); k < end; k++) {
      let i = s.order[k];
      if (s.x[i] >= v.x1) break;
      if (s.w[i] < thin) {
        // A run of thin boxes becomes one faint box in the color of the widest:
        // together they have a cost, so they must not be invisible.
        const from = s.x[i];
        let to = from;
        let widest = i;
        let found = false;
        for (; k < end; k++) {
          i = s.order[k];
          if (s.w[i] >= thin || s.x[i] - to > thin || s.x[i] >= v.x1) break;
          to = s.x[i] + s.w[i];
          if (s.w[i] > s.w[widest]) widest = i;
          found ||= p.match !== null && s.frame[i] >= 0 && p.match[s.frame[i]] === 1;
        }
        k--;
        if ((to - from) * scale >= THIN) {
          const width = Math.max(1, (to - from) * scale);
          ctx.globalAlpha = p.match && !found ? 0.2 : 0.55;
          ctx.fillStyle = s.frame[widest] < 0 ? palette.rest : p.color(widest);
          ctx.fillRect((from - v.x0) * scale, y, width, h);
          if (found) {
            ctx.globalAlpha = 1;
            ctx.fillStyle = palette.match;
            ctx.fillRect((from - v.x0) * scale, y + h - 3, width, 3);
          }
          drawn++;
        }
        continue;
      }

      const frame = s.frame[i];
      const left = Math.max(0, (s.x[i] - v.x0) * scale);
      const right = Math.min(v.width, (s.x[i] + s.w[i] - v.x0) * scale);
      const width = right - left > 2.5 ? right - left - 1 : right - left;
      const matched = p.match !== null && frame >= 0 && p.match[frame] === 1;
      // The ancestors of the zoomed box are context.
      const outer = Math.abs(row) < Math.abs(s.row[p.zoom]) && i !== p.zoom;
      ctx.globalAlpha = p.match && !matched ? 0.3 : outer ? 0.6 : 1;
      ctx.fillStyle = frame === REST ? palette.rest : frame === ALL ? palette.root : p.color(i);
      p.begin?.(i);
      ctx.fillRect(left, y, width, h);
      drawn++;
      if (frame === REST && width > 3 && hatch) {
        ctx.fillStyle = hatch;
        ctx.fillRect(left, y, width, h);
      }
      if (matched) {
        ctx.globalAlpha = 1;
        ctx.fillStyle = palette.match;
        ctx.fillRect(left, y + h - 3, width, 3);
      }
      if (width > 20) {
        const text = p.labels.fit(p.name(i), width - 8);
        if (text !== "") {
          if (p.match && !matched) ctx.globalAlpha = 0.55;
          ctx.fillStyle = palette.text;
          ctx.fillText(text, left + 4, y + h / 2 + 0.5);
        }
      }
    }
  }

  ctx.globalAlpha = 1;
  if (s.frame[0] !== ALL) outline(ctx, p, 0, palette.text, 2);
  outline(ctx, p, p.hover, palette.text, 1);
  outline(ctx, p, p.focus, palette.ring, 2);
  return drawn;
}

function outline(ctx: Pen, p: Picture, box: number, color: string, line: number): void {
  const { scene: s, view: v } = p;
  if (box < 0 || box >= s.n) return;
  const scale = v.width / (v.x1 - v.x0);
  const left = Math.max(0, (s.x[box] - v.x0) * scale);
  const right = Math.min(v.width, (s.x[box] + s.w[box] - v.x0) * scale);
  if (right < left) return;
  ctx.strokeStyle = color;
  ctx.lineWidth = line;
  const inset = line / 2;
  ctx.strokeRect(
    left + inset,
    rowTop(s, v, s.row[box]) + inset,
    Math.max(2, right - left - 1 - line),
    v.rowHeight - 1 - line,
  );
}

/** Diagonal lines, for boxes that sum several calls. */
function hatching(ctx: Pen, palette: Palette): CanvasPattern | null {
  const tile = document.createElement("canvas");
  tile.width = tile.height = 8;
  const t = tile.getContext("2d");
  if (!t) return null;
  t.strokeStyle = palette.text;
  t.globalAlpha = 0.22;
  t.lineWidth = 1.2;
  t.beginPath();
  for (const d of [-8, 0, 8]) {
    t.moveTo(d - 1, 9);
    t.lineTo(d + 9, -1);
  }
  t.stroke();
  return ctx.createPattern(tile, "repeat");
}
