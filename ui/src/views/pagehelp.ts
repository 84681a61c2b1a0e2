import { h } from "./dom.ts";

/** The help of a page: what it shows, and its keys. whet ui adds its own keys. */
export interface Help {
  readonly title: string;
  readonly about: readonly string[];
  readonly keys: readonly (readonly [string, string])[];
}

/** The help as a dialog, for pages that are not within whet ui. close is what its button says. */
export function pageHelp({ title, about, keys }: Help, close: string): HTMLDialogElement {
  return h(
    "dialog",
    { class: "help", "aria-labelledby": "help-title" },
    h("h2", { id: "help-title" }, title),
    ...about.map((text) => h("p", {}, text)),
    h(
      "table",
      {},
      h("tbody", {}, ...keys.map(([k, what]) => h("tr", {}, h("th", { scope: "row" }, k), h("td", {}, what)))),
    ),
    h("form", { method: "dialog" }, h("button", {}, close)),
  );
}

/** Opens the help with "?", unless the reader is typing. */
export function bindHelp(dialog: HTMLDialogElement): void {
  document.addEventListener("keydown", (e) => {
    if (e.key !== "?" || e.ctrlKey || e.metaKey || e.altKey || document.querySelector("dialog[open]")) return;
    if (e.target instanceof Element && e.target.matches("input, select, textarea")) return;
    e.preventDefault();
    dialog.showModal();
  });
}
