import type { Part, Span } from "../api/timeline.ts";
import { overlapping, type LaneData } from "../lib/lane.ts";
import { colorKeys, waits, type ColorKey } from "../lib/states.ts";
import { timeTicks, type Stretch } from "../lib/timescale.ts";
import { apart, type Label } from "../lib/labelroom.ts";
import { hash } from "../lib/names.ts";

/** Pixels of a lane, with the gap below it, and of the axis. */
export const laneHeight = 20;
export const laneGap = 3;
export const axisHeight = 24;

/** Colors of the timeline, from the style sheet. */
export class Inks {
  readonly states: Record<ColorKey, string>;
  readonly text: string;
  readonly quiet: string;
  readonly line: string;
  readonly ring: string;
  readonly ground: string;
  readonly panel: string;
  readonly dim: string;
  readonly heap: string;
  readonly boxText: string;
  private readonly kindShape: string;
  private readonly kinds = new Map<string, string>();

  constructor(style: CSSStyleDeclaration) {
    const get = (name: string) => style.getPropertyValue(name).trim();
    this.states = Object.fromEntries(colorKeys.map((k) => [k, get(`--state-${k}`)])) as Record<ColorKey, string>;
    this.text = get("--text");
    this.quiet = get("--quiet");
    this.line = get("--line");
    this.ring = get("--ring");
    this.ground = get("--ground");
    this.panel = get("--panel");
    this.dim = get("--dim");
    this.heap = get("--heap");
    this.boxText = get("--box-text");
    this.kindShape = get("--kind-of-goroutine");
  }

  /** A color of a kind of goroutines. */
  kind(name: string): string {
    let ink = this.kinds.get(name);
    if (ink === undefined) {
      const n = hash(name);
      // Steps of the golden angle: neighbors in name are not neighbors in hue.
      ink = `oklch(${this.kindShape} ${(((n % 97) * 137.508) % 360).toFixed(0)})`;
      this.kinds.set(name, ink);
    }
    return ink;
  }
}

/** The color of what runs on a processor: the collector's goroutines get the collector's color. */
export function kindInk(kind: string, inks: Inks): string {
  return /^runtime\.(gc|bgsweep|bgscavenge)/.test(kind) ? inks.states.gc : inks.kind(kind);
}

/** Maps times to pixels. */
export interface Scale {
  readonly window: Stretch;
  /** The first pixel and how many there are. */
  readonly left: number;
  readonly width: number;
}

export function xOf(s: Scale, time: number): number {
  return s.left + ((time - s.window.from) / (s.window.to - s.window.from)) * s.width;
}

export function timeOf(s: Scale, x: number): number {
  return s.window.from + ((x - s.left) / s.width) * (s.window.to - s.window.from);
}

/** How to draw a span of a lane: the key of its color, an ink to use instead, and a label. */
export interface Look {
  readonly key: ColorKey;
  readonly ink?: string | undefined;
  readonly label: string;
}

/** Sizes a canvas to its element, at the screen's resolution. */
export function sized(canvas: HTMLCanvasElement, width: number, height: number): CanvasRenderingContext2D | null {
  const ratio = Math.min(devicePixelRatio || 1, 3);
  const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== w || canvas.height !== h) [canvas.width, canvas.height] = [w, h];
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const g = canvas.getContext("2d");
  if (!g) return null;
  g.setTransform(ratio, 0, 0, ratio, 0, 0);
  g.clearRect(0, 0, width, height);
  g.font = "11px system-ui, sans-serif";
  return g;
}

/** Draws the axis, and returns the positions of the lines through the lanes. */
export function drawAxis(g: CanvasRenderingContext2D, s: Scale, inks: Inks): number[] {
  const t = timeTicks(s.window, Math.max(2, Math.floor(s.width / 110)));
  g.textBaseline = "middle";
  g.fillStyle = inks.quiet;
  if (t.base && s.left > 60) {
    g.textAlign = "right";
    g.fillText(t.base, s.left - 8, axisHeight / 2);
  }
  g.textAlign = "center";
  const xs = t.values.map((v) => Math.round(xOf(s, v)) + 0.5);
  xs.forEach((x, i) => {
    g.strokeStyle = inks.line;
    g.beginPath();
    g.moveTo(x, axisHeight - 5);
    g.lineTo(x, axisHeight);
    g.stroke();
    const text = t.labels[i];
    const half = g.measureText(text).width / 2;
    g.fillText(text, Math.min(Math.max(x, s.left + half), s.left + s.width - half - 2), axisHeight / 2 - 1);
  });
  return xs;
}

/** How a lane's columns of pixels are filled. */
export interface Shape {
  /** The least height of anything, as a share. */
  readonly least: number;
  /** The row is always in some state, so a gap in a column is a rounding error. */
  readonly full: boolean;
  /** An ink of a state in parts, instead of its color's. */
  readonly ink?: ((state: number) => string | undefined) | undefined;
}

/**
 * Draws a lane: spans as boxes, parts as stacked states, with work at the bottom. Anything
 * narrower than a pixel is summed per pixel.
 */
export function drawLane(
  g: CanvasRenderingContext2D,
  s: Scale,
  top: number,
  d: LaneData,
  inks: Inks,
  key: (state: number) => ColorKey,
  look: (span: Span) => Look,
  shape: Shape,
): void {
  const column = new Column(g, s.left, top, inks, shape);
  const end = s.left + s.width;
  const labels: Label[] = [];
  overlapping(d.spans, d.reach, s.window, (span) => {
    const x0 = Math.max(xOf(s, span[0]), s.left);
    const x1 = Math.min(xOf(s, span[1]), end);
    if (x1 - x0 < 1.2) {
      column.add(x0, x1, key(span[2]));
      return;
    }
    const is = look(span);
    g.fillStyle = is.ink ?? inks.states[is.key];
    g.fillRect(x0, top, x1 - x0 - (x1 - x0 > 4 ? 0.5 : 0), laneHeight);
    if (is.label) labels.push({ from: x0, to: x1, text: is.label, pale: waits(is.key) });
  });
  column.flush();
  overlapping(d.parts, 0, s.window, (p) => {
    const x0 = Math.max(xOf(s, p[0]), s.left);
    const x1 = Math.min(xOf(s, p[1]), end);
    if (shape.ink) inked(g, x0, x1, top, p, (state) => shape.ink?.(state) ?? inks.states[key(state)]);
    else column.part(x0, x1, share(p, key));
  });
  column.flush();
  g.textBaseline = "middle";
  g.textAlign = "left";
  for (const l of apart(labels)) {
    g.fillStyle = l.pale ? inks.text : inks.boxText;
    const text = fit(g, l.text, l.to - l.from - 7);
    if (text) g.fillText(text, l.from + 4, top + laneHeight / 2 + 0.5);
  }
}

/** Cuts a text to the available width. */
function fit(g: CanvasRenderingContext2D, text: string, room: number): string {
  let t = text.length > 120 ? text.slice(0, 120) : text;
  if (g.measureText(t).width <= room) return t;
  const n = Math.floor((t.length * room) / g.measureText(t).width) - 1;
  t = `${t.slice(0, Math.max(n, 0))}…`;
  return n > 3 && g.measureText(t).width <= room ? t : "";
}

/** The composition of a part: shares of its length, by color. */
function share(p: Part, key: (state: number) => ColorKey): number[] {
  const all = new Array<number>(colorKeys.length).fill(0);
  const length = Math.max(p[1] - p[0], 1);
  for (let k = 2; k + 1 < p.length; k += 2) all[colorKeys.indexOf(key(p[k]))] += p[k + 1] / length;
  return all;
}

/** Draws stacked shares; the rest of the height stays empty. */
function heap(
  g: CanvasRenderingContext2D,
  x: number,
  width: number,
  top: number,
  shares: readonly number[],
  inks: Inks,
): void {
  let y = top + laneHeight;
  shares.forEach((part, i) => {
    const h = Math.min(part * laneHeight, y - top);
    if (h < 0.2) return; // invisible, and there are many
    g.fillStyle = inks.states[colorKeys[i]];
    g.fillRect(x, y - h, width, h);
    y -= h;
  });
}

/** Draws a part with an ink for each state, stacked; the rest of the height stays empty. */
function inked(
  g: CanvasRenderingContext2D,
  x0: number,
  x1: number,
  top: number,
  p: Part,
  ink: (state: number) => string,
): void {
  let y = top + laneHeight;
  const length = Math.max(p[1] - p[0], 1);
  for (let k = 2; k + 1 < p.length; k += 2) {
    const h = Math.min((p[k + 1] / length) * laneHeight, y - top);
    if (h < 0.2) continue;
    g.fillStyle = ink(p[k]);
    g.fillRect(x0, y - h, Math.max(x1 - x0, 0.7), h);
    y -= h;
  }
}

/** Sums one column of pixels. */
class Column {
  private at = -1;
  private readonly shares = new Array<number>(colorKeys.length).fill(0);

  constructor(
    private readonly g: CanvasRenderingContext2D,
    private readonly left: number,
    private readonly top: number,
    private readonly inks: Inks,
    private readonly shape: Shape,
  ) {}

  private go(at: number): void {
    if (at === this.at) return;
    this.flush();
    this.at = at;
  }

  add(x0: number, x1: number, key: ColorKey): void {
    this.go(Math.floor(x0 - this.left));
    this.shares[colorKeys.indexOf(key)] += x1 - x0;
  }

  /** Adds a part: its ends to their columns, and the columns between as one box. */
  part(x0: number, x1: number, shares: readonly number[]): void {
    const [first, last] = [Math.floor(x0 - this.left), Math.floor(x1 - this.left)];
    const put = (at: number, width: number) => {
      this.go(at);
      for (let i = 0; i < shares.length; i++) this.shares[i] += shares[i] * width;
    };
    if (first === last) {
      put(first, x1 - x0);
      return;
    }
    put(first, first + 1 - (x0 - this.left));
    if (last > first + 1) {
      this.flush();
      heap(this.g, this.left + first + 1, last - first - 1, this.top, shares, this.inks);
    }
    put(last, x1 - this.left - last);
  }

  flush(): void {
    if (this.at < 0) return;
    // Every event is visible, however short.
    const all = this.shares.reduce((a, b) => a + b, 0);
    let times = all > 0 && all < this.shape.least ? this.shape.least / all : 1;
    if (this.shape.full && all >= 0.5) times = 1 / all;
    heap(
      this.g,
      this.left + this.at,
      1,
      this.top,
      this.shares.map((v) => v * times),
      this.inks,
    );
    this.shares.fill(0);
    this.at = -1;
  }
}
