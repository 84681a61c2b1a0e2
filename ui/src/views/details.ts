import type { View } from "../lib/decode.ts";
import { percent, quantity } from "../lib/format.ts";
import { shortName } from "../lib/names.ts";
import type { Scene } from "../lib/scene.ts";
import { REST } from "../lib/tree.ts";
import type { Model } from "../state/model.ts";
import { boxName, kindKeys, kindName, place } from "./describe.ts";
import { copy, h } from "./dom.ts";

export interface DetailsEvents {
  close(): void;
  focus(frame: number): void;
  find(frame: number): void;
  zoom(box: number): void;
  say(text: string): void;
}

/** Everything about one box. */
export class Details {
  readonly el = h("aside", { class: "details", "aria-label": "Frame details", hidden: true });

  constructor(
    private readonly model: Model,
    private readonly events: DetailsEvents,
  ) {}

  show(scene: Scene, view: View, box: number, zoom: number): void {
    this.el.hidden = box < 0;
    if (box < 0) return;
    const { frames } = this.model.page;
    const id = scene.frame[box];
    const frame = id >= 0 ? frames[id] : null;
    const name = boxName(scene, frames, box);
    const q = (v: number) => quantity(v, view.unit);
    const rows: [string, string, string][] = [];
    rows.push(["Total here", q(scene.total[box]), percent(scene.total[box], view.total)]);
    if (frame) rows.push(["Self here", q(scene.value[box]), percent(scene.value[box], view.total)]);
    if (zoom > 0 && zoom !== box) rows.push(["Of the zoomed frame", "", percent(scene.w[box], scene.w[zoom])]);
    if (box > 0 && scene.parent[box] > 0)
      rows.push(["Of its parent", "", percent(scene.w[box], scene.w[scene.parent[box]])]);
    if (frame) {
      const costs = view.costs;
      rows.push(["Total everywhere", q(costs.total[id]), percent(costs.total[id], view.total)]);
      rows.push(["Self everywhere", q(costs.self[id]), percent(costs.self[id], view.total)]);
    }

    const stack: number[] = [];
    for (let i = box; i > 0; i = scene.parent[i]) stack.push(i);
    const kids = this.children(scene, box);

    const button = (text: string, title: string, act: () => void) =>
      h("button", { type: "button", title, onclick: act }, text);
    const done = (what: string) => (ok: boolean) =>
      this.events.say(ok ? `copied ${what}` : "the browser did not allow copying");

    this.el.replaceChildren(
      ...[
        h(
          "div",
          { class: "details-head" },
          frame
            ? h("span", { class: `chip ${kindKeys[frame.kind]}` }, kindName(frame.kind))
            : h("span", { class: "chip" }, id === REST ? "left out for size" : "whole profile"),
          h(
            "button",
            {
              type: "button",
              class: "plain",
              title: "Close (Esc)",
              "aria-label": "Close details",
              onclick: () => this.events.close(),
            },
            "✕",
          ),
        ),
        h("h2", {}, name),
        frame && frame.file ? h("p", { class: "place" }, h("code", {}, place(frame))) : null,
        id === REST ? h("p", {}, "These calls are too light to show individually; totals include their cost.") : null,
        h(
          "table",
          { class: "numbers" },
          h(
            "tbody",
            {},
            ...rows.map(([k, v, p]) => h("tr", {}, h("th", { scope: "row" }, k), h("td", {}, v), h("td", {}, p))),
          ),
        ),
        frame
          ? h(
              "div",
              { class: "actions" },
              button("Callers & callees", "Only this function: its callers and callees (c)", () =>
                this.events.focus(id),
              ),
              button("Find all", "Mark this function wherever it is called", () => this.events.find(id)),
              button("Copy name", "", () => void copy(frame.name).then(done("the name"))),
              frame.file
                ? button("Copy place", "File and line", () => void copy(place(frame)).then(done("the place")))
                : null,
              button(
                "Copy stack",
                "The calls that lead here, outermost first",
                () =>
                  void copy(
                    stack
                      .slice()
                      .reverse()
                      .map((i) => boxName(scene, frames, i))
                      .join("\n") + "\n",
                  ).then(done("the stack")),
              ),
            )
          : null,
        kids.length > 0
          ? this.list(scene.row[box] < 0 ? "Called by" : "Heaviest inside", scene, view, kids, scene.w[box])
          : null,
        stack.length > 1 ? this.list("Called through", scene, view, stack.slice(1, 41), 0) : null,
      ].filter((n) => n !== null),
    );
    this.el.scrollTop = 0;
  }

  /** The ten widest children or callers of this box. */
  private children(s: Scene, box: number): number[] {
    const found: number[] = [];
    for (let i = 1; i < s.n; i++) if (s.parent[i] === box && s.row[i] >= 0 === s.row[box] >= 0) found.push(i);
    return found.sort((a, b) => s.w[b] - s.w[a]).slice(0, 10);
  }

  private list(title: string, s: Scene, view: View, boxes: number[], whole: number): HTMLElement {
    const { frames } = this.model.page;
    return h(
      "section",
      {},
      h("h3", {}, title),
      h(
        "ul",
        { class: "frames" },
        ...boxes.map((i) =>
          h(
            "li",
            {},
            h(
              "button",
              { type: "button", class: "plain", title: boxName(s, frames, i), onclick: () => this.events.zoom(i) },
              h("span", { class: "name" }, shortName(boxName(s, frames, i))),
              h("span", { class: "share" }, whole > 0 ? percent(s.w[i], whole) : percent(s.total[i], view.total)),
            ),
          ),
        ),
      ),
    );
  }
}
