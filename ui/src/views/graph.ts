import { draw, hit, rowTop, type Picture, type Viewport } from "../draw/flame.ts";
import type { SvgPen } from "../lib/svg.ts";
import { Labels } from "../draw/labels.ts";
import { Palette } from "../draw/palette.ts";
import type { Frame, View } from "../lib/decode.ts";
import type { Color, ViewState } from "../lib/hash.ts";
import { matchedBoxes, neighbor, samePath, spanning, widestChild, type Scene } from "../lib/scene.ts";
import type { Model } from "../state/model.ts";
import { flameTexts } from "../texts/flame.ts";
import { boxName } from "./describe.ts";
import { h } from "./dom.ts";

/** Holds the state that the graph shows and changes. */
export interface GraphStore {
  readonly state: ViewState;
  set(part: Partial<ViewState>, step?: boolean): void;
}

export interface GraphEvents {
  /** The pointer is over a box (or none: -1), at a point of the window. */
  hover(box: number, x: number, y: number): void;
  /** A box was selected, by click or key; -1: none. */
  select(box: number): void;
  /** The keyboard moved to a box. */
  focus(box: number): void;
  /** This part of the scene, from 0 to 1, was drawn. */
  drawn?(from: number, to: number): void;
}

const MIN_ROW = 20;
const ANIMATION = 160; // ms
const FONT = '12px system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, "DejaVu Sans", sans-serif';

/** The canvas and its navigation. */
export class Graph {
  readonly el: HTMLElement;
  private readonly canvas: HTMLCanvasElement;
  private readonly tall: HTMLElement; // gives the scroller its height
  private readonly ctx: CanvasRenderingContext2D;
  private labels: Labels;
  private palette: Palette;
  private scene: Scene;
  private view: View;
  private colorBy: Color = "kind";
  private match: Uint8Array | null = null;
  private range: [number, number] = [0, 1]; // shown now, in the scene's unit
  private animation: { from: [number, number]; to: [number, number]; begin: number } | null = null;
  private cursor = -1;
  private hovered = -1;
  private selected = -1;
  private keyboard = false;
  private scheduled = false;
  private size = { width: 0, height: 0, ratio: 1 };
  /** Statistics of the last drawing, for tests. */
  readonly stats = { boxes: 0, milliseconds: 0 };

  constructor(
    private readonly store: GraphStore,
    private readonly model: Model,
    private readonly events: GraphEvents,
  ) {
    this.canvas = h("canvas", {
      tabindex: 0,
      role: "application",
      "aria-label": flameTexts.t("picture"),
    });
    this.tall = h("div", { class: "tall" }, this.canvas);
    this.el = h("div", { class: "graph", tabindex: -1 }, this.tall);
    const ctx = this.canvas.getContext("2d", { alpha: false });
    if (!ctx) throw new Error("this browser cannot draw on a canvas");
    this.ctx = ctx;
    ctx.font = FONT;
    this.labels = new Labels(ctx, FONT);
    this.palette = new Palette(getComputedStyle(document.documentElement));
    this.view = model.view(store.state);
    this.scene = model.scene(store.state).scene;
    this.listenToPointer();
    this.canvas.addEventListener("keydown", (e) => this.key(e));
    this.canvas.addEventListener("focus", () => {
      this.keyboard = this.canvas.matches(":focus-visible");
      if (this.keyboard) this.moveTo(this.cursor >= 0 ? this.cursor : this.zoomBox());
    });
    this.canvas.addEventListener("blur", () => {
      this.keyboard = false;
      this.schedule();
    });
    this.el.addEventListener("scroll", () => this.schedule(), { passive: true });
    new ResizeObserver(() => this.resize()).observe(this.el);
    this.range = this.target(store.state);
  }

  get currentScene(): Scene {
    return this.scene;
  }

  zoomBox(s: ViewState = this.store.state): number {
    return s.zoom < this.scene.n ? s.zoom : 0;
  }

  /** Follows the state. */
  update(now: ViewState, before: ViewState | null): void {
    const old = this.scene;
    this.view = this.model.view(now);
    this.scene = this.model.scene(now).scene;
    this.colorBy = this.model.color(now);
    this.match = this.model.search(now.query)?.match ?? null;
    const fresh = this.scene !== old;
    if (fresh) {
      this.hovered = -1;
      this.cursor = -1;
      this.select(-1);
    }
    const to = this.target(now);
    const moved = to[0] !== this.range[0] || to[1] !== this.range[1];
    if (fresh || before === null) {
      this.range = to;
      this.animation = null;
    } else if (moved) {
      const still = matchMedia("(prefers-reduced-motion: reduce)").matches || now.range !== null;
      this.animation = still ? null : { from: this.range, to, begin: performance.now() };
      if (still) this.range = to;
    }
    this.layOut();
    if (fresh || before === null || before.flip !== now.flip || before.table !== now.table) this.scrollHome();
    else if (before.zoom !== now.zoom && now.range === null) this.reveal(this.zoomBox(now), true);
    this.schedule();
  }

  /** Colors have changed. */
  repaint(): void {
    this.palette = new Palette(getComputedStyle(document.documentElement));
    this.schedule();
  }

  get colors(): Palette {
    return this.palette;
  }

  select(box: number): void {
    if (box === this.selected) return;
    this.selected = box;
    this.events.select(box);
    this.schedule();
  }

  zoomTo(box: number): void {
    this.store.set({ zoom: box, range: null }, true);
  }

  /** Same frames in another scene; used when the sample type changes. */
  translate(next: ViewState): number {
    return samePath(this.scene, this.zoomBox(), this.model.scene(next).scene);
  }

  /** Moves to the next or previous match of the search. */
  stepMatch(step: 1 | -1): void {
    if (!this.match) return;
    const found = matchedBoxes(this.scene, this.match);
    if (found.length === 0) return;
    const at = found.indexOf(this.cursor);
    const next = at < 0 ? (step > 0 ? 0 : found.length - 1) : (at + step + found.length) % found.length;
    const box = found[next];
    const [x0, x1] = this.target(this.store.state);
    const s = this.scene;
    if (s.x[box] + s.w[box] <= x0 || s.x[box] >= x1 || (s.w[box] / (x1 - x0)) * this.size.width < 3) {
      // Out of view: show the box within its parent.
      const around = s.parent[box] > 0 ? s.parent[box] : 0;
      this.store.set({ zoom: (s.w[around] / s.w[box]) * 3 < this.size.width ? around : box, range: null }, true);
    }
    this.keyboard = true;
    this.moveTo(box);
    this.select(box);
  }

  private target(s: ViewState): [number, number] {
    const all = this.scene.width || 1;
    if (s.range) return [s.range[0] * all, s.range[1] * all];
    const box = this.zoomBox(s);
    const w = this.scene.w[box];
    return w > 0 ? [this.scene.x[box], this.scene.x[box] + w] : [0, all];
  }

  private viewport(): Viewport {
    const rows = this.scene.maxRow - this.scene.minRow + 1;
    const flip = this.store.state.flip;
    return {
      ...this.size,
      rowHeight: MIN_ROW,
      top: this.el.scrollTop,
      rows: flip ? Math.max(rows, this.size.height / MIN_ROW) : rows,
      flip,
      x0: this.range[0],
      x1: this.range[1],
    };
  }

  private resize(): void {
    const first = this.size.width === 0;
    this.size = { width: this.el.clientWidth, height: this.el.clientHeight, ratio: window.devicePixelRatio || 1 };
    this.layOut();
    if (first) this.scrollHome();
    this.paint(); // now, or the stretched old picture shows for one frame
  }

  private layOut(): void {
    const { width, height, ratio } = this.size;
    const rows = this.scene.maxRow - this.scene.minRow + 1;
    this.tall.style.height = `${Math.max(height, rows * MIN_ROW)}px`;
    const [w, hgt] = [Math.round(width * ratio), Math.round(height * ratio)];
    if (this.canvas.width !== w || this.canvas.height !== hgt) {
      this.canvas.width = w;
      this.canvas.height = hgt;
      this.canvas.style.width = `${width}px`;
      this.canvas.style.height = `${height}px`;
    }
  }

  private scrollHome(): void {
    const zoom = this.zoomBox();
    if (zoom > 0) return this.reveal(zoom, true);
    const v = this.viewport();
    const root = rowTop(this.scene, { ...v, top: 0 }, 0);
    // The root at the edge; a focused function in the middle.
    if (this.scene.minRow < 0) this.el.scrollTop = root - v.height / 2;
    else this.el.scrollTop = v.flip ? root + MIN_ROW - v.height : 0;
  }

  /** Scrolls to a box; toEdge keeps only a few of its parents in view. */
  private reveal(box: number, toEdge = false): void {
    const v = this.viewport();
    const y = rowTop(this.scene, v, this.scene.row[box]);
    const downwards = this.scene.row[box] >= 0 !== v.flip;
    if (toEdge) this.el.scrollTop += downwards ? y - 4 * MIN_ROW : y - v.height + 5 * MIN_ROW;
    else if (y < 0) this.el.scrollTop += y - MIN_ROW;
    else if (y + 2 * MIN_ROW > v.height) this.el.scrollTop += y + 2 * MIN_ROW - v.height;
  }

  private schedule(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    requestAnimationFrame(() => {
      this.scheduled = false;
      this.paint();
    });
  }

  private paint(): void {
    if (this.size.width === 0) return;
    const begin = performance.now();
    if (this.animation) {
      const { from, to } = this.animation;
      const t = Math.min(1, (begin - this.animation.begin) / ANIMATION);
      const e = 1 - (1 - t) ** 3;
      this.range = t < 1 ? [from[0] + (to[0] - from[0]) * e, from[1] + (to[1] - from[1]) * e] : to;
      if (t < 1) this.schedule();
      else this.animation = null;
    }
    const s = this.scene;
    this.stats.boxes = draw(this.ctx, this.picture(this.viewport()));
    this.stats.milliseconds = performance.now() - begin;
    const all = s.width || 1;
    this.events.drawn?.(this.range[0] / all, this.range[1] / all);
  }

  /** What is drawn. */
  private picture(view: Viewport): Picture {
    const { frames } = this.model.page;
    const s = this.scene;
    return {
      scene: s,
      view,
      palette: this.palette,
      labels: this.labels,
      color: (box) => this.color(box, frames),
      name: (box) => boxName(s, frames, box),
      match: this.match,
      zoom: this.zoomBox(),
      focus: this.keyboard ? this.cursor : this.selected,
      hover: this.hovered,
    };
  }

  /** Draws the part of the graph that is shown, with all of its rows, as SVG. about describes a box. */
  svg(pen: SvgPen, title: string, about: (s: Scene, frames: readonly Frame[], v: View, box: number) => string): string {
    const v = this.viewport();
    const view = { ...v, top: 0, ratio: 1, height: v.rows * v.rowHeight };
    const begin = (box: number) => pen.name(about(this.scene, this.model.page.frames, this.view, box));
    draw(pen, { ...this.picture(view), hover: -1, begin });
    return pen.toString(view.width, view.height, title);
  }

  private color(box: number, frames: readonly Frame[]): string {
    const f = frames[this.scene.frame[box]];
    switch (this.colorBy) {
      case "kind":
        return this.palette.kind(f.kind, f.name);
      case "package":
        return this.palette.package(f.pkg);
      case "diff":
        return this.palette.diff(this.scene.w[box] === 0 ? 0 : this.scene.total[box] / this.scene.w[box]);
    }
  }

  private at(e: MouseEvent): number {
    const r = this.canvas.getBoundingClientRect();
    return hit(this.scene, this.viewport(), e.clientX - r.left, e.clientY - r.top);
  }

  private listenToPointer(): void {
    let drag: { x: number; y: number; range: [number, number]; top: number; moved: boolean } | null = null;
    this.canvas.addEventListener("pointermove", (e) => {
      if (drag && e.buttons & 1) {
        const dx = e.clientX - drag.x;
        const dy = e.clientY - drag.y;
        if (!drag.moved && Math.hypot(dx, dy) > 5) {
          drag.moved = true;
          this.canvas.setPointerCapture(e.pointerId);
          this.canvas.classList.add("dragging");
        }
        if (drag.moved) {
          this.setHover(-1, 0, 0);
          this.el.scrollTop = drag.top - dy;
          const shift = (-dx / this.size.width) * (drag.range[1] - drag.range[0]);
          if (drag.range[1] - drag.range[0] < this.scene.width)
            this.setRange(drag.range[0] + shift, drag.range[1] + shift);
          return;
        }
      }
      this.setHover(this.at(e), e.clientX, e.clientY);
    });
    this.canvas.addEventListener("pointerleave", () => this.setHover(-1, 0, 0));
    this.canvas.addEventListener("pointerdown", (e) => {
      this.keyboard = false;
      if (e.button === 0 && e.pointerType === "mouse") {
        drag = { x: e.clientX, y: e.clientY, range: [...this.range], top: this.el.scrollTop, moved: false };
      }
    });
    this.canvas.addEventListener("click", (e) => {
      const moved = drag?.moved;
      drag = null;
      this.canvas.classList.remove("dragging");
      if (moved) return;
      const box = this.at(e);
      this.keyboard = false;
      this.cursor = box;
      this.select(box);
      if (box >= 0 && !e.shiftKey && (box !== this.zoomBox() || this.store.state.range)) this.zoomTo(box);
      this.setHover(-1, 0, 0);
    });
    this.canvas.addEventListener(
      "wheel",
      (e) => {
        const scrollable = this.el.scrollHeight > this.el.clientHeight + 1;
        const sideways = e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY);
        const unit = e.deltaMode === 1 ? 16 : e.deltaMode === 2 ? 400 : 1;
        if (sideways) {
          const by = ((e.deltaX || e.deltaY) * unit) / this.size.width;
          this.pan(by);
          e.preventDefault();
        } else if (e.ctrlKey || e.metaKey || e.altKey || !scrollable) {
          const r = this.canvas.getBoundingClientRect();
          // Pinching arrives as small steps with ctrlKey.
          const speed = e.ctrlKey && Math.abs(e.deltaY) < 50 ? 0.01 : 0.002;
          this.scale(Math.exp(e.deltaY * unit * speed), (e.clientX - r.left) / this.size.width);
          e.preventDefault();
        }
      },
      { passive: false },
    );
  }

  private setHover(box: number, x: number, y: number): void {
    if (box !== this.hovered) {
      this.hovered = box;
      this.canvas.classList.toggle("over", box >= 0);
      this.schedule();
    }
    this.events.hover(box, x, y);
  }

  private pan(part: number): void {
    const [a, b] = this.range;
    if (b - a < this.scene.width) this.setRange(a + part * (b - a), b + part * (b - a));
  }

  /** Scales the range around a point in it. */
  private scale(factor: number, around: number): void {
    const [a, b] = this.range;
    const at = a + (b - a) * around;
    const width = (b - a) * factor;
    this.setRange(at - width * around, at + width * (1 - around));
  }

  private setRange(x0: number, x1: number): void {
    const all = this.scene.width;
    const width = Math.min(all, Math.max(x1 - x0, all * 1e-7));
    x0 = Math.min(Math.max(0, x0), all - width);
    this.animation = null;
    if (width >= all * (1 - 1e-9)) {
      this.store.set({ zoom: 0, range: null });
      return;
    }
    const zoom = spanning(this.scene, this.zoomBox(), x0, x0 + width);
    this.store.set({ zoom, range: [x0 / all, (x0 + width) / all] });
  }

  private moveTo(box: number): void {
    if (box < 0) return;
    this.cursor = box;
    this.reveal(box);
    this.events.focus(box);
    this.schedule();
  }

  /** Moves one row on the screen: towards the root to the parent, else to the widest child. */
  private moveRow(screen: 1 | -1): void {
    const s = this.scene;
    const at = this.cursor >= 0 ? this.cursor : this.zoomBox();
    const step = this.store.state.flip ? (-screen as 1 | -1) : screen;
    const inward = s.row[at] !== 0 && Math.sign(s.row[at]) !== step;
    this.moveTo(inward ? s.parent[at] : widestChild(s, at, step));
  }

  private key(e: KeyboardEvent): void {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const s = this.scene;
    this.keyboard = true;
    const at = this.cursor >= 0 ? this.cursor : this.zoomBox();
    switch (e.key) {
      case "ArrowDown":
        this.moveRow(1);
        break;
      case "ArrowUp":
        this.moveRow(-1);
        break;
      case "ArrowLeft":
        this.moveTo(neighbor(s, at, -1));
        break;
      case "ArrowRight":
        this.moveTo(neighbor(s, at, 1));
        break;
      case "Enter":
      case " ":
        this.select(at);
        this.zoomTo(at);
        break;
      case "w":
      case "+":
      case "=":
        this.scale(1 / 1.4, this.middle());
        break;
      case "s":
      case "-":
        this.scale(1.4, this.middle());
        break;
      case "a":
        this.pan(-0.15);
        break;
      case "d":
        this.pan(0.15);
        break;
      case "c":
        if (s.frame[at] >= 0) this.store.set({ shape: "focus", focus: s.frame[at], zoom: 0, range: null }, true);
        break;
      default:
        return;
    }
    e.preventDefault();
  }

  /** The center of keyboard zoom: the focused frame if it is in view. */
  private middle(): number {
    const s = this.scene;
    const [a, b] = this.range;
    if (this.cursor < 0) return 0.5;
    const mid = (s.x[this.cursor] + s.w[this.cursor] / 2 - a) / (b - a);
    return mid >= 0 && mid <= 1 ? mid : 0.5;
  }

  /** The view that the boxes' numbers belong to. */
  get currentView(): View {
    return this.view;
  }
}
