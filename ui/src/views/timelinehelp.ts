import { h } from "./dom.ts";

const keys: readonly (readonly [string, string])[] = [
  ["w s, + −", "zoom in and out"],
  ["a d", "move left and right"],
  ["Ctrl + wheel, pinch", "zoom at the pointer; on the axis and the overview without Ctrl"],
  ["drag", "move; with Shift, add up an area of rows, or on the axis select a window"],
  ["click", "show a span's details and stack"],
  ["double click, Enter", "zoom to a span or an area"],
  ["↑ ↓", "go to the row above or below"],
  ["← →", "go to the previous or next span; without one, move"],
  ["Backspace", "back to the previous window"],
  ["0, Home", "show everything"],
  ["p, e", "pin the selected row; show a goroutine's regions and calls"],
  ["g, f, m", "shade garbage collection; arrows of wake-ups; minimum mutator utilization"],
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
      "Each row is a processor, a goroutine, a request or the like; a box is a period in one state. Where boxes " +
        "would be too narrow, states are stacked by their share of the time, work at the bottom and waiting above.",
    ),
    h("p", {}, "A link to this page, including everything after the #, shows the same view."),
    h(
      "table",
      {},
      h("tbody", {}, ...keys.map(([k, what]) => h("tr", {}, h("th", { scope: "row" }, k), h("td", {}, what)))),
    ),
    h("form", { method: "dialog" }, h("button", {}, "Close")),
  );
}
