import { h } from "./dom.ts";

const keys: readonly (readonly [string, string])[] = [
  ["click", "zoom to a frame and show its details; with Shift, only the details"],
  ["Ctrl + wheel, pinch", "zoom at the pointer (without Ctrl when nothing scrolls)"],
  ["drag, Shift + wheel", "move sideways"],
  ["arrow keys", "move from frame to frame"],
  ["Enter", "zoom to the frame"],
  ["w s, a d", "zoom in and out, move left and right"],
  ["Backspace", "back to the previous view"],
  ["Esc", "close details, clear the search, zoom out"],
  ["0 or Home", "show everything"],
  ["/", "search; Enter and Shift + Enter, or n and p, go from match to match"],
  ["c", "callers and callees of the frame"],
  ["i", "bottom-up and back"],
  ["f", "root at the top or at the bottom"],
  ["t", "table or graph"],
];

/** How to use the page. */
export function help(): HTMLDialogElement {
  const dialog: HTMLDialogElement = h(
    "dialog",
    { class: "help", "aria-labelledby": "help-title" },
    h("h2", { id: "help-title" }, "Flame graph"),
    h(
      "p",
      {},
      "A box is a function, with the functions it called below it. Its width is its cost including theirs; the order " +
        "from left to right is not time. " +
        "Hatched boxes stand for calls too light to be drawn on their own.",
    ),
    h(
      "p",
      {},
      "The search takes a regular expression. With ",
      h("code", {}, "file:"),
      ", ",
      h("code", {}, "pkg:"),
      " or ",
      h("code", {}, "kind:"),
      " (own, std, dep, other) before it, it searches these instead. A link to this page, including everything " +
        "after the #, shows the same view.",
    ),
    h(
      "table",
      {},
      h("tbody", {}, ...keys.map(([k, what]) => h("tr", {}, h("th", { scope: "row" }, k), h("td", {}, what)))),
    ),
    h("form", { method: "dialog" }, h("button", {}, "Close")),
  );
  return dialog;
}
