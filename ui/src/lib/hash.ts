import { readFragment, writeFragment } from "./fragment.ts";

export type Shape = "down" | "up" | "focus";
export type Color = "kind" | "package" | "diff";

/** The state that a link to the page reproduces. */
export interface ViewState {
  readonly type: string; // sample type; "" is the first
  readonly shape: Shape;
  readonly focus: number; // frame, when shape is "focus"
  readonly flip: boolean; // root at the bottom
  readonly byName: boolean; // siblings by name, not weight
  readonly color: Color | ""; // "" leaves it to the page
  readonly query: string;
  readonly zoom: number; // box
  readonly range: readonly [number, number] | null; // parts of the width, when it is not the box's
  readonly table: boolean;
}

export const initial: ViewState = {
  type: "",
  shape: "down",
  focus: -1,
  flip: false,
  byName: false,
  color: "",
  query: "",
  zoom: 0,
  range: null,
  table: false,
};

/** Writes a state as a URL fragment, without defaults. */
export function toHash(s: ViewState): string {
  return writeFragment((put) => {
    if (s.type) put("type", s.type);
    if (s.shape === "up") put("view", "up");
    if (s.shape === "focus") put("focus", String(s.focus));
    if (s.flip) put("root", "bottom");
    if (s.byName) put("order", "name");
    if (s.color) put("color", s.color);
    if (s.query) put("q", s.query);
    if (s.zoom) put("zoom", String(s.zoom));
    if (s.range) put("x", s.range.map((v) => Number(v.toPrecision(7))).join("-"));
    if (s.table) put("table", "1");
  });
}

/** Parses a URL fragment; invalid parts get their defaults. */
export function fromHash(hash: string): ViewState {
  const get = readFragment(hash);
  const focus = whole(get.get("focus"));
  const color = get.get("color") ?? "";
  return {
    type: get.get("type") ?? "",
    shape: focus >= 0 ? "focus" : get.get("view") === "up" ? "up" : "down",
    focus,
    flip: get.get("root") === "bottom",
    byName: get.get("order") === "name",
    color: color === "kind" || color === "package" || color === "diff" ? color : "",
    query: (get.get("q") ?? "").slice(0, 1000),
    zoom: Math.max(0, whole(get.get("zoom"))),
    range: range(get.get("x")),
    table: get.get("table") === "1",
  };
}

function whole(s: string | undefined): number {
  return s !== undefined && /^\d{1,9}$/.test(s) ? Number(s) : -1;
}

function range(s: string | undefined): [number, number] | null {
  const m = /^([\d.]+(?:e-\d+)?)-([\d.]+(?:e-\d+)?)$/.exec(s ?? "");
  if (!m) return null;
  const [a, b] = [Number(m[1]), Number(m[2])];
  return a >= 0 && b <= 1 && a < b ? [a, b] : null;
}
