import { h } from "./dom.ts";

const keys: readonly (readonly [string, string])[] = [
  ["w s, + −", "zoom in and out"],
  ["a d", "move left and right"],
  ["Ctrl + wheel, pinch", "zoom where the pointer is; on the axis and the overview without Ctrl"],
  ["drag", "move; with Shift, choose a window"],
  ["click", "what a span is, with its stack"],
  ["double click, Enter", "zoom to a span"],
  ["↑ ↓", "to the row above or below"],
  ["← →", "to the span before or after; without one, move"],
  ["Backspace", "back to the window before"],
  ["0, Home", "show everything"],
  ["/", "search goroutines"],
  ["Esc", "close details"],
];

/** How to use the timeline. */
export function timelineHelp(): HTMLDialogElement {
  return h(
    "dialog",
    { class: "help", "aria-labelledby": "help-title" },
    h("h2", { id: "help-title" }, "Timeline"),
    h(
      "p",
      {},
      "Each row is a processor, a goroutine, a request or the like; a box is what it does for a while. Where boxes would be too narrow, states are heaped up by how much of the time they have, work below and waiting above.",
    ),
    h("p", {}, "A link to this page, with all after the #, shows what you see now."),
    h("table", {}, h("tbody", {}, ...keys.map(([k, what]) => h("tr", {}, h("th", { scope: "row" }, k), h("td", {}, what))))),
    h("form", { method: "dialog" }, h("button", {}, "Close")),
  );
}
