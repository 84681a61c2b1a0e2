import type { Frame, Page, View } from "./decode.ts";
import { makeTree, REST, type Tree } from "./tree.ts";

/** How much of a box may be in boxes that were left out for their size before it is worth to load them. */
const worth = 0.001;

/** Whether a box has so much below it that was left out that it can be seen. */
export function lacks(tree: Tree, box: number): boolean {
  const end = endOf(tree, box);
  for (let i = box + 1; i < end; i++)
    if (tree.frame[i] === REST && tree.mass[i]! > worth * tree.mass[box]!) return true;
  return false;
}

/** The node after those below a node: a tree is in preorder. */
function endOf(tree: Tree, at: number): number {
  let end = at + 1;
  while (end < tree.n && tree.depth[end]! > tree.depth[at]!) end++;
  return end;
}

/**
 * Puts what is below a node of a view in another tree of the same profile, whose root is that node, into the page. The
 * page stays as it is if the two do not weigh the same.
 */
export function graft(page: Page, view: View, at: number, part: Page): Page {
  const [from] = part.views;
  const old = view.tree;
  if (!from || from.tree.total[0] !== old.total[at]) return page;
  const key = (f: Frame) => [f.name, f.pkg, f.file, f.line, f.kind].join("\n");
  const known = new Map(page.frames.map((f, i) => [key(f), i]));
  const frames = [...page.frames];
  const to = part.frames.map((f) => {
    const k = key(f);
    if (!known.has(k)) known.set(k, frames.push(f) - 1);
    return known.get(k)!;
  });
  const end = endOf(old, at);
  const more = from.tree.n - 1; // without its root
  const shift = at + 1 + more - end;
  const parent = new Int32Array(old.n + shift);
  const frame = new Int32Array(parent.length);
  const value = new Float64Array(parent.length);
  const rest = new Int32Array(parent.length);
  for (let i = 0; i <= at; i++) copy(i, i, old.parent[i]!);
  value[at] = from.tree.value[0]!;
  for (let i = 1; i <= more; i++) {
    const f = from.tree.frame[i]!;
    parent[at + i] = from.tree.parent[i]! + at;
    frame[at + i] = f === REST ? REST : to[f]!;
    value[at + i] = from.tree.value[i]!;
    rest[at + i] = from.tree.rest[i]!;
  }
  for (let i = end; i < old.n; i++) copy(i, i + shift, old.parent[i]! >= end ? old.parent[i]! + shift : old.parent[i]!);
  function copy(i: number, k: number, above: number): void {
    parent[k] = above;
    frame[k] = old.frame[i]!;
    value[k] = old.value[i]!;
    rest[k] = old.rest[i]!;
  }
  const grown = (a: Float64Array) => {
    const b = new Float64Array(frames.length); // a page has the costs of the functions that it had before
    b.set(a);
    return b;
  };
  const views = page.views.map((v) => ({
    ...v,
    costs: { ...v.costs, self: grown(v.costs.self), total: grown(v.costs.total) },
    tree: v === view ? makeTree(parent, frame, value, rest) : v.tree,
    left: v === view ? v.left - sum(old.rest, at, end) + sum(from.tree.rest, 0, from.tree.n) : v.left,
  }));
  return { ...page, frames, views };
}

function sum(of: Int32Array, from: number, to: number): number {
  let all = 0;
  for (let i = from; i < to; i++) all += of[i]!;
  return all;
}
