import type { Frame, View } from "../lib/decode.ts";
import { percent, quantity } from "../lib/format.ts";
import type { Scene } from "../lib/scene.ts";
import { flameTexts } from "../texts/flame.ts";
import { boxName, kindName, place } from "./describe.ts";
import { h } from "./dom.ts";

const { t } = flameTexts;

/** The numbers of the box under the pointer. */
export class Tooltip {
  readonly el = h("div", { class: "tooltip", "aria-hidden": "true", hidden: true });
  private box = -1;
  private scene: Scene | null = null;

  constructor(private readonly frames: readonly Frame[]) {}

  hide(): void {
    this.box = -1;
    this.el.hidden = true;
  }

  show(scene: Scene, view: View, box: number, zoom: number, x: number, y: number): void {
    if (box !== this.box || scene !== this.scene) {
      this.box = box;
      this.scene = scene;
      const f = scene.frame[box] >= 0 ? this.frames[scene.frame[box]] : null;
      const q = (v: number) => quantity(v, view.unit);
      const line = (k: string, v: string, p: string) => h("tr", {}, h("th", {}, k), h("td", {}, v), h("td", {}, p));
      const rows = [line(t("total"), q(scene.total[box]), percent(scene.total[box], view.total))];
      if (f) rows.push(line(t("self"), q(scene.value[box]), percent(scene.value[box], view.total)));
      if (zoom > 0 && zoom !== box) rows.push(line(t("ofzoomed"), "", percent(scene.w[box], scene.w[zoom])));
      const name = boxName(scene, this.frames, box);
      this.el.replaceChildren(
        h("strong", {}, name.length > 300 ? name.slice(0, 300) + "…" : name),
        h("div", { class: "place" }, f ? [kindName(f.kind), place(f)].filter(Boolean).join(" · ") : ""),
        h("table", {}, h("tbody", {}, ...rows)),
      );
    }
    this.el.hidden = false;
    const { width, height } = this.el.getBoundingClientRect();
    const left = Math.max(4, Math.min(x + 14, window.innerWidth - width - 8));
    const below = y + 18 + height < window.innerHeight;
    this.el.style.left = `${left}px`;
    this.el.style.top = `${below ? y + 18 : Math.max(4, y - height - 10)}px`;
  }
}
