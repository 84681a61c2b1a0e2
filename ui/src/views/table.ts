import type { View } from "../lib/decode.ts";
import { percent, quantity } from "../lib/format.ts";
import type { Model } from "../state/model.ts";
import { kindKeys, place } from "./describe.ts";
import { h } from "./dom.ts";

type Column = "self" | "total" | "name";

const STEP = 200;

/** The heaviest functions as a table: an accessible form of the graph. */
export class Table {
  readonly el = h("div", { class: "listing", hidden: true });
  private sort: Column = "self";
  private shown = STEP;

  constructor(
    private readonly model: Model,
    private readonly open: (frame: number) => void,
  ) {}

  show(view: View, match: Uint8Array | null): void {
    const { frames } = this.model.page;
    const costs = view.costs;
    const ids: number[] = [];
    for (let i = 0; i < frames.length; i++)
      if ((costs.self[i] !== 0 || costs.total[i] !== 0) && (!match || match[i])) ids.push(i);
    const by = (i: number) => (this.sort === "self" ? costs.self[i] : costs.total[i]);
    ids.sort((a, b) =>
      this.sort === "name"
        ? frames[a].name < frames[b].name
          ? -1
          : 1
        : Math.abs(by(b)) - Math.abs(by(a)) || Math.abs(costs.total[b]) - Math.abs(costs.total[a]),
    );
    const head = (column: Column, text: string) =>
      h(
        "th",
        { scope: "col", "aria-sort": this.sort !== column ? "none" : column === "name" ? "ascending" : "descending" },
        h(
          "button",
          {
            type: "button",
            class: "plain",
            onclick: () => {
              this.sort = column;
              this.show(view, match);
            },
          },
          text + (this.sort === column ? (column === "name" ? " ▴" : " ▾") : ""),
        ),
      );
    const q = (v: number) => quantity(v, view.unit);
    const cost = (v: number) => h("td", {}, h("span", {}, q(v)), " ", h("span", {}, percent(v, view.total)));
    const rows = ids
      .slice(0, this.shown)
      .map((i) =>
        h(
          "tr",
          {},
          cost(costs.self[i]),
          cost(costs.total[i]),
          h(
            "th",
            { scope: "row" },
            h("span", { class: `dot ${kindKeys[frames[i].kind]}`, "aria-hidden": "true" }),
            h(
              "button",
              { type: "button", class: "plain", title: "Show its callers and callees", onclick: () => this.open(i) },
              frames[i].name,
            ),
            frames[i].file ? h("span", { class: "place" }, place(frames[i])) : null,
          ),
        ),
      );
    const caption =
      `${ids.length} function${ids.length === 1 ? "" : "s"}${match ? " found" : ""}` +
      (ids.length > this.shown ? `, of which the first ${this.shown} are listed.` : ".") +
      (costs.left !== 0
        ? ` ${q(costs.left)} (${percent(costs.left, view.total)}) is in functions too light to be shown on this page.`
        : "");
    const more =
      ids.length > this.shown
        ? h(
            "button",
            {
              type: "button",
              onclick: () => {
                this.shown += 5 * STEP;
                this.show(view, match);
              },
            },
            "Show more",
          )
        : null;
    this.el.replaceChildren(
      h(
        "table",
        {},
        h("caption", {}, caption),
        h("thead", {}, h("tr", {}, head("self", "Self"), head("total", "Total"), head("name", "Function"))),
        h("tbody", {}, ...rows),
      ),
    );
    if (more) this.el.append(more);
  }
}
