import { REST, type Tree } from "./tree.ts";

/**
 * Boxes laid out in rows, in the unit of the values. Box 0 is the root, on row
 * 0; rows count away from it, callers of a focused function upwards (negative).
 * In a row, boxes are in order of x and do not overlap.
 */
export interface Scene {
  readonly n: number;
  readonly width: number;
  readonly x: Float64Array;
  readonly w: Float64Array;
  readonly row: Int32Array;
  readonly parent: Int32Array; // the box nearer to the root; -1 for the root
  readonly frame: Int32Array;
  readonly value: Float64Array;
  readonly total: Float64Array;
  readonly rest: Int32Array;
  readonly minRow: number;
  readonly maxRow: number;
  readonly order: Int32Array; // boxes by row, then x
  readonly start: Int32Array; // row r is order[start[r-minRow] .. start[r-minRow+1])
}

export type Compare = (a: number, b: number) => number;

/** Siblings by weight, heaviest first, or by name; "smaller ones" always last. */
export function siblingOrder(t: Tree, names?: readonly string[]): Compare {
  return (a, b) => {
    const ra = t.frame[a] === REST;
    if (ra !== (t.frame[b] === REST)) return ra ? 1 : -1;
    if (names && !ra) {
      const na = names[t.frame[a]];
      const nb = names[t.frame[b]];
      if (na !== nb) return na < nb ? -1 : 1;
    }
    return t.mass[b] - t.mass[a] || a - b;
  };
}

interface Laid {
  x: Float64Array;
  order: Int32Array; // nodes by depth, then x
}

function layOut(t: Tree, compare: Compare): Laid {
  // Children of node i are kids[first[i] .. first[i+1]).
  const first = new Int32Array(t.n + 1);
  for (let i = 1; i < t.n; i++) first[t.parent[i] + 1]++;
  for (let i = 0; i < t.n; i++) first[i + 1] += first[i];
  const kids = new Int32Array(Math.max(0, t.n - 1));
  const fill = first.slice();
  for (let i = 1; i < t.n; i++) kids[fill[t.parent[i]]++] = i;

  const x = new Float64Array(t.n);
  const order = new Int32Array(t.n);
  let end = 1; // order[0] is the root
  for (let k = 0; k < end; k++) {
    const i = order[k];
    const own = kids.subarray(first[i], first[i + 1]);
    if (own.length > 1) own.sort(compare);
    let at = x[i];
    for (const c of own) {
      x[c] = at;
      at += t.mass[c];
      order[end++] = c;
    }
  }
  return { x, order };
}

/** Siblings as they are in the tree. */
const given: Compare = (a, b) => a - b;

/**
 * Lays out a tree, and over it callers: a tree of the same root upside down. Siblings of an ordered tree stay in its
 * order.
 */
export function makeScene(down: Tree, names?: readonly string[], up?: Tree, ordered = false): Scene {
  const a = layOut(down, ordered ? given : siblingOrder(down, names));
  const b = up && layOut(up, siblingOrder(up, names));
  const extra = up ? up.n - 1 : 0;
  const n = down.n + extra;
  const x = new Float64Array(n);
  const w = new Float64Array(n);
  const row = new Int32Array(n);
  const parent = new Int32Array(n);
  const frame = new Int32Array(n);
  const value = new Float64Array(n);
  const total = new Float64Array(n);
  const rest = new Int32Array(n);
  x.set(a.x);
  w.set(down.mass);
  row.set(down.depth);
  parent.set(down.parent);
  frame.set(down.frame);
  value.set(down.value);
  total.set(down.total);
  rest.set(down.rest);
  // Node i > 0 of up becomes box i + off; both roots are box 0.
  const off = down.n - 1;
  const order = new Int32Array(n);
  if (up && b) {
    for (let i = 1; i < up.n; i++) {
      x[i + off] = b.x[i];
      w[i + off] = up.mass[i];
      row[i + off] = -up.depth[i];
      parent[i + off] = up.parent[i] === 0 ? 0 : up.parent[i] + off;
      frame[i + off] = up.frame[i];
      value[i + off] = up.value[i];
      total[i + off] = up.total[i];
      rest[i + off] = up.rest[i];
    }
    // Rows of callers, outermost first. b.order is by depth, so read whole
    // levels from its end.
    let k = 0;
    for (let end = up.n; end > 1;) {
      const depth = up.depth[b.order[end - 1]];
      let begin = end - 1;
      while (begin > 1 && up.depth[b.order[begin - 1]] === depth) begin--;
      for (let j = begin; j < end; j++) order[k++] = b.order[j] + off;
      end = begin;
    }
  }
  order.set(a.order, extra);

  const minRow = row[order[0]];
  const maxRow = row[order[n - 1]];
  const start = new Int32Array(maxRow - minRow + 2);
  for (let k = 0; k < n; k++) start[row[k] - minRow + 1]++;
  for (let r = 0; r + 1 < start.length; r++) start[r + 1] += start[r];
  return { n, width: w[0], x, w, row, parent, frame, value, total, rest, minRow, maxRow, order, start };
}

/** Index into order of the first box of row r that ends right of x. */
export function firstInRow(s: Scene, r: number, x: number): number {
  let lo = s.start[r - s.minRow];
  let hi = s.start[r - s.minRow + 1];
  while (lo < hi) {
    const mid = (lo + hi) >> 1;
    const i = s.order[mid];
    if (s.x[i] + s.w[i] > x) hi = mid;
    else lo = mid + 1;
  }
  return lo;
}

/** The box at x of row r, or -1. */
export function boxAt(s: Scene, r: number, x: number): number {
  if (r < s.minRow || r > s.maxRow) return -1;
  const k = firstInRow(s, r, x);
  if (k >= s.start[r - s.minRow + 1]) return -1;
  const i = s.order[k];
  return s.x[i] <= x ? i : -1;
}

/** The box right (step 1) or left (-1) of box i on its row, or -1. */
export function neighbor(s: Scene, i: number, step: 1 | -1): number {
  const r = s.row[i] - s.minRow;
  // Boxes of no width share their x, so look for i itself from there.
  let k = firstInRow(s, s.row[i], s.x[i]);
  while (k > s.start[r] && s.x[s.order[k]] >= s.x[i] && s.order[k] !== i) k--;
  while (k < s.start[r + 1] && s.order[k] !== i) k++;
  k += step;
  return k >= s.start[r] && k < s.start[r + 1] ? s.order[k] : -1;
}

/** The widest child of box i on the given side of it (1: away from the root), or -1. */
export function widestChild(s: Scene, i: number, side: 1 | -1 = 1): number {
  const r = s.row[i] + side;
  if (r < s.minRow || r > s.maxRow) return -1;
  let best = -1;
  for (let k = firstInRow(s, r, s.x[i]); k < s.start[r - s.minRow + 1]; k++) {
    const c = s.order[k];
    if (s.x[c] > s.x[i] + s.w[i]) break;
    if (s.parent[c] === i && (best < 0 || s.w[c] > s.w[best])) best = c;
  }
  return best;
}

/**
 * The part of box `within` (0: everything) in boxes of matching frames, each
 * part counted once.
 */
export function matchedMass(s: Scene, match: Uint8Array, within = 0): number {
  // 1: inside `within`; 2: inside a match.
  const state = new Uint8Array(s.n);
  let sum = 0;
  for (let i = 0; i < s.n; i++) {
    if (s.row[i] < 0) break; // callers repeat the same cost
    let st = i > 0 ? state[s.parent[i]] : 0;
    if (i === within) st |= 1;
    if (!(st & 2) && s.frame[i] >= 0 && match[s.frame[i]]) {
      st |= 2;
      if (st & 1) sum += s.w[i];
    } else if (i === within && st & 2) {
      sum += s.w[i]; // all of it is inside a match further up
    }
    state[i] = st;
  }
  return sum;
}

/** The boxes of matching frames from left to right, nearest to the root first. */
export function matchedBoxes(s: Scene, match: Uint8Array): number[] {
  const found: number[] = [];
  for (let i = 0; i < s.n; i++) if (s.frame[i] >= 0 && match[s.frame[i]]) found.push(i);
  return found.sort((a, b) => s.x[a] - s.x[b] || s.row[a] - s.row[b]);
}

/** The deepest box of scene b on the same path of frames as box i of a. */
export function samePath(a: Scene, i: number, b: Scene): number {
  const frames: number[] = [];
  const side = a.row[i] < 0 ? -1 : 1;
  for (; i > 0; i = a.parent[i]) frames.push(a.frame[i]);
  let at = 0;
  for (const f of frames.reverse()) {
    const next = childWith(b, at, side, f);
    if (next < 0) break;
    at = next;
  }
  return at;
}

function childWith(s: Scene, i: number, side: 1 | -1, frame: number): number {
  const r = s.row[i] + side;
  if (r < s.minRow || r > s.maxRow) return -1;
  for (let k = firstInRow(s, r, s.x[i]); k < s.start[r - s.minRow + 1]; k++) {
    const c = s.order[k];
    if (s.x[c] > s.x[i] + s.w[i]) break;
    if (s.parent[c] === i && s.frame[c] === frame) return c;
  }
  return -1;
}

/** The innermost box that spans all of x0..x1, inwards or outwards from box i. */
export function spanning(s: Scene, i: number, x0: number, x1: number): number {
  const slack = (x1 - x0) * 1e-9;
  const spans = (b: number) => s.x[b] <= x0 + slack && s.x[b] + s.w[b] >= x1 - slack;
  while (i > 0 && !spans(i)) i = s.parent[i];
  for (;;) {
    const side = s.row[i] < 0 ? -1 : 1;
    const c = boxAt(s, s.row[i] + side, (x0 + x1) / 2);
    if (c < 0 || s.parent[c] !== i || s.frame[c] < 0 || !spans(c)) return i;
    i = c;
  }
}
