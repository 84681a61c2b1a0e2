import { timelineTexts } from "../texts/timeline.ts";
import { h } from "./dom.ts";

const { t } = timelineTexts;

/** The keys and gestures, and what they do. */
function keys(): readonly (readonly [string, string])[] {
  return [
    ["w s, + −", t("help.zoom")],
    ["a d", t("help.move")],
    [t("key.pinch"), t("help.pinch")],
    [t("key.drag"), t("help.drag")],
    [t("key.click"), t("help.click")],
    [t("key.double"), t("help.double")],
    ["↑ ↓", t("help.updown")],
    ["← →", t("help.leftright")],
    ["Backspace", t("help.back")],
    ["0, Home", t("help.all")],
    ["p, e", t("help.pin")],
    ["g, f, m", t("help.shade")],
    ["/", t("help.search")],
    ["Esc", t("help.close")],
  ];
}

/** How to use the timeline. */
export function timelineHelp(): HTMLDialogElement {
  return h(
    "dialog",
    { class: "help", "aria-labelledby": "help-title" },
    h("h2", { id: "help-title" }, t("help.title")),
    h("p", {}, t("help.rows")),
    h("p", {}, t("help.link")),
    h(
      "table",
      {},
      h("tbody", {}, ...keys().map(([k, what]) => h("tr", {}, h("th", { scope: "row" }, k), h("td", {}, what)))),
    ),
    h("form", { method: "dialog" }, h("button", {}, t("close"))),
  );
}
