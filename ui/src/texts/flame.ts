import { ViewTexts } from "./view.ts";

/** The texts of flame graphs. */
export const en = {
  "kind.own": "own code",
  "kind.std": "standard library",
  "kind.dep": "dependency",
  "kind.other": "other",
  all: "all",
  rest: "{n} smaller",
  ofall: "{value} ({share} of all)",
  of: "{share} of {name}",
  selfvalue: "self {value}",
  total: "total",
  self: "self",
  ofzoomed: "of zoomed",
  "note.kind": "kind: own, std, dep or other",
  "note.literal": "not a regular expression: searched for literally",
  picture:
    "Flame graph. Arrow keys move between frames, Enter zooms, Escape zooms out. The table lists the same frames.",
};

export type FlameTexts = Record<keyof typeof en, string>;
export const flameTexts = new ViewTexts(en);
