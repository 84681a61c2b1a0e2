import { hash } from "./names.ts";

/**
 * The name of a box that also holds in the graph of another recording: its function, and a number
 * for the functions from the root down to it.
 */
export function placeOf(names: readonly string[]): string {
  const last = names.at(-1);
  return last === undefined ? "" : `${last}~${hash(names.join("\n")).toString(36)}`;
}

/** The parts of such a name: the function, and the number or "". */
export function readPlace(place: string): { name: string; path: string } {
  const at = place.lastIndexOf("~");
  return at > 0 ? { name: place.slice(0, at), path: place.slice(at + 1) } : { name: place, path: "" };
}

/**
 * Finds the box of a place in a tree of boxes: that with the same path, else the widest of the
 * function; 0 if there is none.
 */
export function findPlace(
  place: string,
  boxes: { readonly n: number; readonly parent: ArrayLike<number>; readonly w: ArrayLike<number> },
  name: (box: number) => string,
): number {
  if (place === "") return 0;
  const want = readPlace(place);
  let best = 0;
  for (let i = 1; i < boxes.n; i++) {
    if (name(i) !== want.name) continue;
    const path: string[] = [];
    for (let k = i; k > 0; k = boxes.parent[k]!) path.push(name(k));
    if (want.path !== "" && placeOf(path.reverse()) === place) return i;
    if (best === 0 || boxes.w[i]! > boxes.w[best]!) best = i;
  }
  return best;
}
