import { ALL, REST, TreeBuilder, type Tree } from "./tree.ts";

/**
 * Limits on a reshaped tree: a page's tree of recursive calls may be 60 000
 * deep, and reversing it naively would take billions of steps.
 */
const MAX_NODES = 250_000;
const MAX_STEPS = 6_000_000;

/** A tree made from another one. */
export interface Reshaped {
  readonly tree: Tree;
  /** The limits were reached: distant callers of light frames are missing. */
  readonly cut: boolean;
}

/**
 * Reverses a tree: the root's children are the frames with the cost, their
 * children the callers. Heavy nodes go first, so that the limits cut off
 * light ones.
 */
export function bottomUp(t: Tree): Reshaped {
  const b = new TreeBuilder(ALL);
  const order = Array.from({ length: t.n }, (_, i) => i)
    .filter((i) => i > 0 && t.value[i] !== 0)
    .sort((a, c) => Math.abs(t.value[c]) - Math.abs(t.value[a]));
  let steps = 0;
  let cut = false;
  for (const i of order) {
    const mass = Math.abs(t.value[i]);
    let at = b.child(0, t.frame[i]);
    if (t.rest[i]) b.add(at, 0, 0, t.rest[i]);
    for (let p = t.parent[i]; p > 0; p = t.parent[p]) {
      const next = ++steps > MAX_STEPS ? -1 : b.child(at, t.frame[p], b.size < MAX_NODES);
      if (next < 0) {
        cut = true;
        break;
      }
      at = next;
    }
    b.add(at, t.value[i], mass);
  }
  if (t.value[0] !== 0) b.add(0, t.value[0], Math.abs(t.value[0]));
  return { tree: b.finish(), cut };
}

/** Nodes with the given frame that have no ancestor with it. */
function outermost(t: Tree, frame: number): number[] {
  const inside = new Uint8Array(t.n);
  const found: number[] = [];
  for (let i = 1; i < t.n; i++) {
    inside[i] = inside[t.parent[i]];
    if (t.frame[i] === frame && !inside[i]) {
      inside[i] = 1;
      found.push(i);
    }
  }
  return found;
}

/** What a function calls, over all its callers. The root is the function. */
export function callees(t: Tree, frame: number): Reshaped {
  const b = new TreeBuilder(frame);
  const at = new Int32Array(t.n).fill(-1);
  for (const i of outermost(t, frame)) at[i] = 0;
  for (let i = 1; i < t.n; i++) {
    if (at[i] < 0) {
      if (at[t.parent[i]] < 0) continue;
      at[i] = b.child(at[t.parent[i]], t.frame[i]);
    }
    b.add(at[i], t.value[i], Math.abs(t.value[i]), t.rest[i]);
  }
  return { tree: b.finish(), cut: false };
}

/** The callers of a function. The root is the function, its children its callers. */
export function callers(t: Tree, frame: number): Reshaped {
  const b = new TreeBuilder(frame);
  let steps = 0;
  let cut = false;
  const found = outermost(t, frame).sort((a, c) => t.mass[c] - t.mass[a]);
  for (const i of found) {
    let at = 0;
    for (let p = t.parent[i]; p > 0; p = t.parent[p]) {
      const next = ++steps > MAX_STEPS ? -1 : b.child(at, t.frame[p], b.size < MAX_NODES);
      if (next < 0) {
        cut = true;
        break;
      }
      at = next;
    }
    b.add(at, t.total[i], t.mass[i]);
  }
  return { tree: b.finish(), cut };
}

/** Cost per frame over a whole tree. */
export interface FrameCosts {
  readonly self: Float64Array;
  readonly total: Float64Array; // a stack counts once, recursion or not
  readonly left: number; // self cost without a frame: too light to be listed
}

/** Sums a top-down tree per frame. */
export function frameCosts(t: Tree, frames: number): FrameCosts {
  const self = new Float64Array(frames);
  const total = new Float64Array(frames);
  const open = new Int32Array(frames); // occurrences on the path to the node at hand
  const path: number[] = [];
  let left = 0;
  for (let i = 1; i < t.n; i++) {
    while (path.length > 0 && path[path.length - 1] !== t.parent[i]) open[t.frame[path.pop()!]]--;
    const f = t.frame[i];
    if (f === REST) {
      left += t.value[i];
      continue;
    }
    self[f] += t.value[i];
    if (open[f]++ === 0) total[f] += t.total[i];
    path.push(i);
  }
  return { self, total, left };
}

/** The cost of all stacks with a frame that the predicate holds for. */
export function costUnder(t: Tree, holds: (frame: number) => boolean): number {
  const inside = new Uint8Array(t.n);
  let sum = 0;
  for (let i = 1; i < t.n; i++) {
    inside[i] = inside[t.parent[i]];
    if (!inside[i] && t.frame[i] >= 0 && holds(t.frame[i])) {
      inside[i] = 1;
      sum += t.total[i];
    }
  }
  return sum;
}
