import type { Frame } from "../lib/decode.ts";
import { percent } from "../lib/format.ts";
import { shortName } from "../lib/names.ts";
import type { Scene } from "../lib/scene.ts";
import { pathOf } from "../lib/tree.ts";
import { boxName } from "./describe.ts";
import { h } from "./dom.ts";

const ENDS = 4; // crumbs shown at the end of a long path

/** The path from the root to the zoomed frame. */
export class Crumbs {
  readonly el = h("nav", { class: "crumbs", "aria-label": "Zoomed frame and its parents" });

  constructor(
    private readonly frames: readonly Frame[],
    private readonly zoom: (box: number) => void,
  ) {}

  show(scene: Scene, box: number, total: number, open = false): void {
    const path = [0, ...pathOf(scene.parent, box)];
    const hidden = open ? 0 : Math.max(0, path.length - ENDS - 1);
    const items: HTMLElement[] = [];
    path.forEach((i, k) => {
      if (hidden > 1 && k === 1) {
        items.push(
          h(
            "li",
            {},
            h(
              "button",
              {
                type: "button",
                class: "plain",
                title: "Show the whole path",
                onclick: () => this.show(scene, box, total, true),
              },
              `… ${hidden} more`,
            ),
          ),
        );
      }
      if (hidden > 1 && k >= 1 && k <= hidden) return;
      const name = boxName(scene, this.frames, i);
      const last = i === box;
      items.push(
        h(
          "li",
          {},
          h(
            "button",
            {
              type: "button",
              class: "plain",
              title: name,
              "aria-current": last ? "location" : undefined,
              onclick: () => this.zoom(i),
            },
            i === 0 && scene.frame[0] < 0 ? "all" : shortName(name),
          ),
          last ? h("span", { class: "share" }, percent(scene.total[i], total)) : null,
        ),
      );
    });
    this.el.replaceChildren(h("ol", {}, ...items));
    this.el.scrollLeft = this.el.scrollWidth;
  }
}
