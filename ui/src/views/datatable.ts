import type { Table } from "../api/load.ts";
import { h } from "./dom.ts";

/** A table of texts. Its first column has the names of the rows. */
export function dataTable(t: Table): HTMLElement {
  return h(
    "table",
    { class: "table" },
    h("caption", {}, t.caption),
    h("thead", {}, h("tr", {}, ...t.columns.map((c) => (c === "" ? h("td", {}) : h("th", { scope: "col" }, c))))),
    h(
      "tbody",
      {},
      ...t.rows.map((row) =>
        h("tr", {}, ...row.map((cell, i) => (i === 0 ? h("th", { scope: "row" }, cell) : h("td", {}, cell)))),
      ),
    ),
  );
}
