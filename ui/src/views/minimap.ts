import { draw } from "../draw/flame.ts";
import { Labels } from "../draw/labels.ts";
import type { Palette } from "../draw/palette.ts";
import type { Scene } from "../lib/scene.ts";
import { h } from "./dom.ts";

/** The whole graph in a strip, with the part that is shown. */
export class Minimap {
  readonly el: HTMLElement;
  private readonly canvas = h("canvas", { "aria-hidden": "true" });
  private readonly window = h("div", { class: "minimap-window" });
  private shown: { scene: Scene; palette: Palette; width: number; match: Uint8Array | null } | null = null;

  constructor(
    label: string,
    private readonly show: (from: number, to: number) => void,
  ) {
    this.el = h("div", { class: "minimap", role: "img", "aria-label": label }, this.canvas, this.window);
    this.el.addEventListener("pointerdown", (e) => {
      this.el.setPointerCapture(e.pointerId);
      this.center(e);
    });
    this.el.addEventListener("pointermove", (e) => {
      if (e.buttons & 1) this.center(e);
    });
  }

  /** Draws the graph, if it changed since the last time. */
  update(scene: Scene, palette: Palette, color: (box: number) => string, match: Uint8Array | null): void {
    const width = this.el.clientWidth;
    const height = this.el.clientHeight;
    const s = this.shown;
    if (width === 0 || (s?.scene === scene && s.palette === palette && s.width === width && s.match === match)) return;
    this.shown = { scene, palette, width, match };
    const ratio = window.devicePixelRatio || 1;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    const ctx = this.canvas.getContext("2d", { alpha: false });
    if (!ctx) return;
    const rows = scene.maxRow - scene.minRow + 1;
    draw(ctx, {
      scene,
      view: {
        width,
        height,
        ratio,
        rowHeight: Math.max(1.5, Math.min(6, height / rows)),
        top: 0,
        rows,
        flip: false,
        x0: 0,
        x1: scene.width || 1,
      },
      palette,
      labels: new Labels(ctx, "8px sans-serif"),
      color,
      name: () => "",
      match,
      zoom: 0,
      focus: -1,
      hover: -1,
    });
  }

  /** Marks the part that is shown. */
  mark(from: number, to: number): void {
    this.window.style.left = `${from * 100}%`;
    this.window.style.width = `${Math.max(0.2, (to - from) * 100)}%`;
    this.window.hidden = from <= 0 && to >= 1;
    this.part = to - from;
  }
  private part = 1;

  private center(e: PointerEvent): void {
    if (this.part >= 1) return;
    const r = this.el.getBoundingClientRect();
    const half = this.part / 2;
    const mid = Math.min(1 - half, Math.max(half, (e.clientX - r.left) / r.width));
    this.show(mid - half, mid + half);
  }
}
