import { timelineTexts } from "../texts/timeline.ts";
import type { Help } from "./pagehelp.ts";

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
    ["c, f, m", t("help.shade")],
    ["/", t("help.search")],
    ["Esc", t("help.close")],
  ];
}

/** How to use the timeline. */
export function timelineHelp(): Help {
  return { title: t("help.title"), about: [t("help.rows"), t("help.link")], keys: keys() };
}
