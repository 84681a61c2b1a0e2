import type { Spot } from "../draw/strip.ts";
import { h } from "./dom.ts";

/** The drawing in a picture. */
export interface Drawing {
  /** A description for screen readers. */
  readonly name: string;
  readonly height: number;
  draw(canvas: HTMLCanvasElement, width: number, mark: Spot | null): Spot[];
  /** Describes a point. */
  say(spot: Spot): string;
  /** Points in the order in which arrows visit them. */
  visit(spots: readonly Spot[]): Spot[];
}

/**
 * A drawing in the page: it is drawn when it comes near the viewport and freed when it
 * leaves, follows the width of its element, and reads out its points.
 */
export class Picture {
  readonly el: HTMLElement;
  private readonly canvas = h("canvas", { "aria-hidden": "true" });
  private spots: Spot[] = [];
  private mark: Spot | null = null;
  private near = false;

  constructor(
    private readonly drawing: Drawing,
    private readonly out: {
      tell: (text: string, x: number, y: number) => void;
      hide: () => void;
      say: (text: string) => void;
    },
  ) {
    this.el = h("div", { class: "picture", role: "img", tabindex: "-1", "aria-label": drawing.name }, this.canvas);
    this.el.style.height = `${drawing.height}px`;
    this.el.addEventListener("keydown", (e) => this.key(e));
    this.el.addEventListener("pointermove", (e) => this.point(e));
    this.el.addEventListener("pointerleave", () => this.point(null));
    this.el.addEventListener("blur", () => {
      this.point(null);
    });
  }

  /** Draws, or frees the pixels. */
  show(near: boolean): void {
    this.near = near;
    if (near) this.draw();
    else this.canvas.width = this.canvas.height = 0;
  }

  draw(): void {
    if (this.near) this.spots = this.drawing.draw(this.canvas, Math.max(this.el.clientWidth, 120), this.mark);
  }

  private point(e: PointerEvent | null): void {
    let best: Spot | null = null;
    if (e) {
      const box = this.el.getBoundingClientRect();
      let least = 18 ** 2;
      for (const s of this.spots) {
        const d = (s.x - (e.clientX - box.left)) ** 2 + (s.y - (e.clientY - box.top)) ** 2;
        if (d < least) [least, best] = [d, s];
      }
      if (best) this.out.tell(this.drawing.say(best), e.clientX, e.clientY);
    }
    if (!best) this.out.hide();
    if (best !== this.mark) {
      this.mark = best;
      this.draw();
    }
  }

  private key(e: KeyboardEvent): void {
    if (e.key === "Escape") this.point(null);
    if (e.key !== "ArrowLeft" && e.key !== "ArrowRight") return;
    e.preventDefault();
    const all = this.drawing.visit(this.spots);
    if (all.length === 0) return;
    const now = all.findIndex((s) => this.mark && s.lane === this.mark.lane && s.index === this.mark.index);
    const next = now < 0 ? 0 : Math.min(Math.max(now + (e.key === "ArrowRight" ? 1 : -1), 0), all.length - 1);
    this.mark = all[next] as Spot;
    this.draw();
    const box = this.el.getBoundingClientRect();
    const text = this.drawing.say(this.mark);
    this.out.tell(text, box.left + this.mark.x, box.top + this.mark.y);
    this.out.say(text);
  }
}

/** The tooltip at the pointer. */
export function pointerTip(): {
  el: HTMLElement;
  tell: (text: string, x: number, y: number) => void;
  hide: () => void;
} {
  const el = h("div", { class: "tooltip", "aria-hidden": "true", hidden: true });
  return {
    el,
    tell: (text, x, y) => {
      el.textContent = text;
      el.hidden = false;
      const { width, height } = el.getBoundingClientRect();
      el.style.left = `${Math.max(4, Math.min(x + 12, window.innerWidth - width - 8))}px`;
      el.style.top = `${y + 18 + height < window.innerHeight ? y + 16 : Math.max(4, y - height - 10)}px`;
    },
    hide: () => {
      el.hidden = true;
    },
  };
}
