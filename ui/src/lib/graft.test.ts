import { expect, it } from "vitest";
import type { Frame, Page, View } from "./decode.ts";
import { graft, lacks } from "./graft.ts";
import { frameCosts } from "./reshape.ts";
import { ALL, REST, makeTree } from "./tree.ts";

/** A page of one view, with nodes after the root. */
function page(
  names: string[],
  rootValue: number,
  ...nodes: [parent: number, frame: number, value: number, rest?: number][]
): Page {
  const frames = names.map((name): Frame => ({ name, pkg: "", file: "", line: 0, kind: 0 }));
  const tree = makeTree(
    Int32Array.from([-1, ...nodes.map((n) => n[0])]),
    Int32Array.from([ALL, ...nodes.map((n) => n[1])]),
    Float64Array.from([rootValue, ...nodes.map((n) => n[2])]),
    Int32Array.from([0, ...nodes.map((n) => n[3] ?? 0)]),
  );
  const left = nodes.reduce((n, x) => n + (x[3] ?? 0), 0);
  const view: View = {
    ...{ type: "cpu", unit: "", total: tree.total[0]!, left, tree, signed: false, ordered: false },
    costs: frameCosts(tree, frames.length),
  };
  return { title: "", facts: [], notes: [], frames, views: [view] };
}

/** main calls a, of which 3 subtrees are left out, and b. */
const whole = page(["main", "a", "b"], 0, [0, 0, 1], [1, 1, 2], [2, REST, 7, 3], [1, 2, 5], [4, 1, 4]);

it("says where something that can be seen is left out", () => {
  const { tree } = whole.views[0]!;
  expect([1, 2, 4, 5].map((i) => lacks(tree, i))).toEqual([true, true, false, false]);
});

it("puts a part into the tree", () => {
  // The part's frames have another order, and one is new.
  const part = page(["c", "b"], 2, [0, 1, 3], [1, 0, 2], [0, 0, 1], [0, REST, 1, 1]);
  const made = graft(whole, whole.views[0]!, 2, part);
  const { tree, left, costs } = made.views[0]!;
  const name = (i: number) => (tree.frame[i]! >= 0 ? made.frames[tree.frame[i]!]!.name : "rest");
  const path = (i: number): string => (i === 0 ? "" : `${path(tree.parent[i]!)}/${name(i)}`);
  expect(Array.from({ length: tree.n }, (_, i) => `${path(i)} ${tree.value[i]} ${tree.total[i]}`)).toEqual([
    " 0 19",
    "/main 1 19",
    "/main/a 2 9",
    "/main/a/b 3 5",
    "/main/a/b/c 2 2",
    "/main/a/c 1 1",
    "/main/a/rest 1 1",
    "/main/b 5 9",
    "/main/b/a 4 4",
  ]);
  expect(left).toBe(1);
  expect(costs.self.length).toBe(made.frames.length);
  expect(made.frames.map((f) => f.name)).toEqual(["main", "a", "b", "c"]);
});

it("leaves the tree alone if the part is of something else", () => {
  expect(graft(whole, whole.views[0]!, 2, page(["c"], 1))).toBe(whole);
});
