import type { Frame, Page, View } from "../lib/decode.ts";
import type { ViewState } from "../lib/hash.ts";
import { initial } from "../lib/hash.ts";
import { findPlace, placeOf } from "../lib/place.ts";
import { exactly } from "../lib/search.ts";
import type { Scene } from "../lib/scene.ts";
import { ALL, REST } from "../lib/tree.ts";
import { Model } from "./model.ts";

/** What the address says about a flame graph. */
export interface FlameParams {
  readonly sample: string; // sample type within the profile
  readonly up: boolean;
  readonly time: boolean; // in the order of time
  readonly fn: string; // function whose callers and callees are shown
  readonly q: string; // search
  readonly at: string; // place of the zoomed box
  readonly x: string; // part that is shown: "0.25-0.5"
  readonly color: string;
  readonly src: string; // function whose source is shown
}

/** The name of a box for places: its function. */
export function nameOf(s: Pick<Scene, "frame">, frames: readonly Frame[], box: number): string {
  const f = s.frame[box]!;
  return f === ALL ? "all" : f === REST ? "rest" : frames[f]!.name;
}

/** The place of a box, which holds in other recordings; "" for the root. */
export function place(s: Pick<Scene, "frame" | "parent">, frames: readonly Frame[], box: number): string {
  const path: string[] = [];
  for (let i = box; i > 0; i = s.parent[i]!) path.push(nameOf(s, frames, i));
  return placeOf(path.reverse());
}

/** Reads "0.25-0.5"; null if it is not a part. */
export function readRange(x: string): readonly [number, number] | null {
  const m = /^(\d(?:\.\d+)?(?:e-\d+)?)-(\d(?:\.\d+)?(?:e-\d+)?)$/.exec(x);
  if (!m) return null;
  const [a, b] = [Number(m[1]), Number(m[2])];
  return a >= 0 && b <= 1 && a < b ? [a, b] : null;
}

export function writeRange(r: readonly [number, number] | null): string {
  return r ? r.map((v) => Number(v.toPrecision(7))).join("-") : "";
}

/** The state that the graph shows, from what the address says and the graph that was loaded. */
export function viewState(model: Model, p: FlameParams): ViewState {
  const page = model.page;
  const focus = p.fn && !p.time ? page.frames.findIndex((f) => f.name === p.fn) : -1;
  const color = p.color === "package" || p.color === "kind" || p.color === "diff" ? p.color : "";
  const state: ViewState = {
    ...initial,
    type: p.sample,
    shape: focus >= 0 ? "focus" : p.up ? "up" : "down",
    focus,
    color,
    query: p.q || (p.src ? exactly(p.src) : ""),
    range: readRange(p.x),
  };
  if (!p.at) return state;
  const { scene } = model.scene(state);
  return { ...state, zoom: findPlace(p.at, scene, (i) => nameOf(scene, page.frames, i)) };
}

/** The rows of the list of functions, most expensive in itself first. */
export interface FunctionRow {
  readonly frame: number;
  readonly name: string;
  readonly self: number;
  readonly total: number;
}

export function functionRows(page: Page, view: View): FunctionRow[] {
  const rows: FunctionRow[] = [];
  const { self, total } = view.costs;
  page.frames.forEach((f, i) => {
    if (self[i] !== 0 || total[i] !== 0) rows.push({ frame: i, name: f.name, self: self[i]!, total: total[i]! });
  });
  return rows.sort((a, b) => Math.abs(b.self) - Math.abs(a.self) || Math.abs(b.total) - Math.abs(a.total));
}
