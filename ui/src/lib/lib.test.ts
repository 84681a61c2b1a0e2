import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { decode, inflate, Kind, type Frame } from "./decode.ts";
import { fromHash, initial, toHash, type ViewState } from "./hash.ts";
import { bareName, methodName, shortName } from "./names.ts";
import { bottomUp, callees, callers, costUnder, frameCosts } from "./reshape.ts";
import { boxAt, makeScene, matchedMass, neighbor, samePath, spanning, widestChild, type Scene } from "./scene.ts";
import { exactly, search } from "./search.ts";
import { ALL, REST, makeTree, pathOf, type Tree } from "./tree.ts";

type Node = [frame: number, value: number, kids?: Node[]];

/** A tree by hand; frame REST makes "3 smaller". */
function tree(...top: Node[]): Tree {
  const parent = [-1];
  const frame = [ALL];
  const value = [0];
  const rest = [0];
  const add = (n: Node, p: number) => {
    const at = parent.length;
    parent.push(p);
    frame.push(n[0]);
    value.push(n[1]);
    rest.push(n[0] === REST ? 3 : 0);
    for (const k of n[2] ?? []) add(k, at);
  };
  for (const n of top) add(n, 0);
  return makeTree(Int32Array.from(parent), Int32Array.from(frame), Float64Array.from(value), Int32Array.from(rest));
}

/** Pseudo-random, the same each time. */
function random(seed: number): () => number {
  let s = seed;
  return () => {
    s = (Math.imul(s, 1664525) + 1013904223) >>> 0;
    return s / 2 ** 32;
  };
}

function randomTree(n: number, frames: number, seed: number): Tree {
  const next = random(seed);
  const parent = new Int32Array(n);
  const frame = new Int32Array(n);
  const value = new Float64Array(n);
  parent[0] = -1;
  frame[0] = ALL;
  for (let i = 1; i < n; i++) {
    let p = i - 1;
    while (p > 0 && next() < 0.4) p = parent[p];
    parent[i] = p;
    frame[i] = Math.floor(next() * frames);
    value[i] = Math.floor(next() * 100);
  }
  return makeTree(parent, frame, value, new Int32Array(n));
}

/** What must hold of any scene; what does not is listed. */
function broken(s: Scene): string[] {
  const wrong: string[] = [];
  const seen = new Set<number>();
  for (let r = s.minRow; r <= s.maxRow; r++) {
    let end = -Infinity;
    for (let k = s.start[r - s.minRow]; k < s.start[r - s.minRow + 1]; k++) {
      const i = s.order[k];
      const p = s.parent[i];
      if (s.row[i] !== r) wrong.push(`box ${i} is on row ${s.row[i]}, listed on ${r}`);
      if (s.x[i] < end - 1e-6) wrong.push(`box ${i} overlaps`);
      end = s.x[i] + s.w[i];
      seen.add(i);
      if (i === 0) continue;
      if (Math.abs(s.row[p]) !== Math.abs(r) - 1) wrong.push(`box ${i} is not next to its parent`);
      if (s.x[i] < s.x[p] - 1e-6 || end > s.x[p] + s.w[p] + 1e-6) wrong.push(`box ${i} leaves its parent`);
    }
  }
  if (seen.size !== s.n) wrong.push(`${seen.size} boxes of ${s.n} are listed`);
  return wrong;
}
const check = (s: Scene) => expect(broken(s)).toEqual([]);

//            0:main ── 1:work(5) ── 2:malloc(3)
//                   └─ 3:serve ─── 1:work(2) ── 1:work(4)
//                                └ REST(6)
const sample = () =>
  tree([
    0,
    0,
    [
      [1, 5, [[2, 3]]],
      [
        3,
        0,
        [
          [1, 2, [[1, 4]]],
          [REST, 6],
        ],
      ],
    ],
  ]);

describe("tree", () => {
  it("sums totals and masses", () => {
    const t = tree([
      0,
      0,
      [
        [1, -4],
        [2, 6],
      ],
    ]);
    expect([...t.total]).toEqual([2, 2, -4, 6]);
    expect([...t.mass]).toEqual([10, 10, 4, 6]);
    expect(pathOf(t.parent, 3)).toEqual([1, 3]);
  });
});

describe("reshape", () => {
  it("counts a recursive function once", () => {
    const c = frameCosts(sample(), 4);
    expect([...c.self]).toEqual([0, 11, 3, 0]);
    expect([...c.total]).toEqual([20, 14, 3, 12]);
    expect(c.left).toBe(6);
    expect(costUnder(sample(), (f) => f === 1 || f === 2)).toBe(14);
  });
  it("turns upside down and loses nothing", () => {
    const { tree: up, cut } = bottomUp(sample());
    expect(cut).toBe(false);
    expect(up.total[0]).toBe(20);
    const tops = new Map<number, number>();
    for (let i = 1; i < up.n; i++) if (up.parent[i] === 0) tops.set(up.frame[i], up.total[i]);
    expect(tops).toEqual(
      new Map([
        [1, 11],
        [REST, 6],
        [2, 3],
      ]),
    );
    expect(up.rest[[...up.frame].indexOf(REST)]).toBe(3);
  });
  it("agrees with the costs per frame on random trees", () => {
    for (let seed = 1; seed < 20; seed++) {
      const t = randomTree(400, 12, seed);
      const costs = frameCosts(t, 12);
      const { tree: up } = bottomUp(t);
      for (let i = 1; i < up.n; i++)
        if (up.parent[i] === 0 && up.total[i] !== costs.self[up.frame[i]]) expect.fail(`frame ${up.frame[i]}`);
      for (let f = 0; f < 12; f++) {
        expect(callees(t, f).tree.total[0]).toBe(costs.total[f]);
        expect(callers(t, f).tree.total[0]).toBe(costs.total[f]);
        check(makeScene(callees(t, f).tree, undefined, callers(t, f).tree));
      }
      check(makeScene(t));
      check(makeScene(up));
    }
  });
  it("stays bounded on one deep recursive stack", () => {
    const n = 60_000;
    const parent = Int32Array.from({ length: n }, (_, i) => i - 1);
    const t = makeTree(
      parent,
      new Int32Array(n).fill(0).map((_, i) => (i ? i % 3 : ALL)),
      new Float64Array(n).fill(1),
      new Int32Array(n),
    );
    const up = bottomUp(t);
    expect(up.cut).toBe(true);
    expect(up.tree.total[0]).toBe(n);
    expect(up.tree.n).toBeLessThan(300_000);
  });
});

describe("scene", () => {
  it("lays out heaviest first, smaller ones last", () => {
    const s = makeScene(sample());
    check(s);
    expect([...s.row]).toEqual([0, 1, 2, 3, 2, 3, 4, 3]);
    expect(s.x[4]).toBe(0); // serve, 12
    expect(s.x[2]).toBe(12); // work, 8
    expect(s.x[7]).toBe(6); // REST after work, though as heavy
    expect(boxAt(s, 2, 13)).toBe(2);
    expect(boxAt(s, 3, 19)).toBe(-1); // work's own time
    expect(neighbor(s, 4, 1)).toBe(2);
    expect(neighbor(s, 4, -1)).toBe(-1);
    expect(widestChild(s, 1)).toBe(4);
    expect(spanning(s, 0, 0, 5)).toBe(5);
    expect(spanning(s, 5, 0, 20)).toBe(1);
  });
  it("lays out by name", () => {
    const s = makeScene(sample(), ["main", "work", "malloc", "aserve"]);
    expect(s.x[4]).toBe(0);
    expect(makeScene(sample(), ["main", "work", "malloc", "zserve"]).x[2]).toBe(0);
  });
  it("keeps the order of a tree that is in the order of time", () => {
    const s = makeScene(sample(), undefined, undefined, true);
    check(s);
    expect(s.x[2]).toBe(0); // work, which is lighter, and before serve
    expect(s.x[4]).toBe(8);
  });
  it("shows every box once with any sibling weights, zero too", () => {
    const s = makeScene(
      tree([
        0,
        0,
        [
          [1, 0],
          [2, 0],
          [3, 1],
        ],
      ]),
    );
    check(s);
    for (let i = 2; i < 5; i++) expect([neighbor(s, i, 1), neighbor(s, i, -1)].some((k) => k > 0)).toBe(true);
  });
  it("counts matches once", () => {
    const s = makeScene(sample());
    const work = Uint8Array.from([0, 1, 0, 0]);
    expect(matchedMass(s, work)).toBe(14);
    expect(matchedMass(s, work, 4)).toBe(6);
    expect(matchedMass(s, work, 6)).toBe(4); // inside a match
  });
  it("finds the same path elsewhere", () => {
    const a = makeScene(sample());
    const b = makeScene(tree([5, 1], [0, 0, [[3, 100, [[9, 1]]]]]));
    expect(samePath(a, 5, b)).toBe(3); // main, serve, and no further
    expect(samePath(a, 0, b)).toBe(0);
  });
});

describe("search", () => {
  const frames: Frame[] = [
    { name: "main.Work", pkg: "main", file: "a.go", line: 1, kind: Kind.Own },
    { name: "runtime.mallocgc", pkg: "runtime", file: "malloc.go", line: 2, kind: Kind.Std },
    { name: "x.com/y.f[...]", pkg: "x.com/y", file: "", line: 0, kind: Kind.Dependency },
  ];
  const found = (q: string) => [...(search(frames, q)?.match ?? [])];
  it("takes regular expressions, with case only if the query has any", () => {
    expect(found("work|MALLOC$")).toEqual([0, 0, 0]);
    expect(found("work|malloc")).toEqual([1, 1, 0]);
    expect(found("Work")).toEqual([1, 0, 0]);
    expect(found("\\Wwork")).toEqual([1, 0, 0]);
    expect(search(frames, "  ")).toBeNull();
  });
  it("takes what is not one literally", () => {
    expect(found("f[")).toEqual([0, 0, 1]);
    expect(search(frames, "f[")?.note).toBe("literal");
  });
  it("looks at fields", () => {
    expect(found("file:malloc")).toEqual([0, 1, 0]);
    expect(found("pkg:^x")).toEqual([0, 0, 1]);
    expect(found("kind:own")).toEqual([1, 0, 0]);
    expect(found(exactly("x.com/y.f[...]"))).toEqual([0, 0, 1]);
  });
});

describe("names", () => {
  it.each([
    ["net/http.(*conn).serve", "http.(*conn).serve", "(*conn).serve"],
    ["main.work", "main.work", "work"],
    ["a.b/c.F[d.e/f.G]", "c.F[d.e/f.G]", "F[d.e/f.G]"],
    ["std::vector<a/b>::push(x/y)", "std::vector<a/b>::push(x/y)", "std::vector<a/b>::push(x/y)"],
    ["runtime.main.func1", "runtime.main.func1", "main.func1"],
    ["/lib/libc.so+0x12", "libc.so+0x12", "so+0x12"],
    ["gogo", "gogo", "gogo"],
  ])("%s", (name, short, bare) => {
    expect(shortName(name)).toBe(short);
    expect(bareName(name)).toBe(bare);
    expect(methodName(name)).toBe(bare.replace(/^\(\*conn\)\./, ""));
  });
});

describe("hash", () => {
  it("reads what it writes", () => {
    const states: ViewState[] = [
      initial,
      {
        ...initial,
        type: "alloc_space",
        shape: "up",
        flip: true,
        byName: true,
        color: "package",
        query: "a&b=c#%(.*)",
        zoom: 17,
        table: true,
      },
      { ...initial, shape: "focus", focus: 3, range: [0.125, 0.5] },
      { ...initial, range: [1e-7, 2e-7], zoom: 5 },
    ];
    for (const s of states) expect(fromHash("#" + toHash(s))).toEqual(s);
    expect(toHash(initial)).toBe("");
  });
  it("survives nonsense", () => {
    for (const h of ["#", "#%", "#q=%E0%A4%A", "#zoom=-1&x=5-1&focus=1e9&color=x&__proto__=1", "#zoom=99999999999"]) {
      expect(fromHash(h)).toEqual(initial);
    }
  });
});

describe("decode", () => {
  const varint = (u: number): number[] => (u < 128 ? [u] : [(u % 128) + 128, ...varint(Math.floor(u / 128))]);
  const zigzag = (v: number) => varint(v < 0 ? -2 * v - 1 : 2 * v);
  const pack = (columns: number[][], change: object = {}) => {
    const doc = {
      schema: "whet.flame-page/1",
      title: "t",
      facts: [],
      notes: [],
      strings: ["", "f", "p", "g"],
      frames: 2,
      views: [{ type: "cpu", unit: "nanoseconds", total: 0, self: 0, nodes: 3, rests: 1, left: 4, weights: 2 }],
      ...change,
    };
    const head = Buffer.from(JSON.stringify(doc));
    const size = Buffer.alloc(4);
    size.writeUInt32LE(head.length);
    return new Uint8Array(Buffer.concat([size, head, Buffer.from(columns.flat())]));
  };
  const big = 2 ** 52;
  const columns = [
    [...zigzag(1), ...zigzag(2)],
    [2, 0],
    [0, 0],
    [7, 0],
    [1, 2],
    [0, 0, 1],
    [1, 2, 0],
    [...zigzag(0), ...zigzag(-5), ...zigzag(big)],
    [4],
    [...zigzag(0), ...zigzag(1)],
    [...zigzag(2), ...zigzag(-5)],
    [...zigzag(9), ...zigzag(-5)],
  ];
  it("reads frames, nodes and large values", async () => {
    const packed = pack(columns);
    const page = decode(await inflate(gzipSync(packed).toString("base64")));
    expect(page.frames[0]).toEqual({ name: "f", pkg: "p", file: "", line: 7, kind: Kind.Own });
    expect(page.frames[1].name).toBe("g");
    const v = page.views[0];
    expect([...v.tree.parent]).toEqual([-1, 0, 1, 1]);
    expect([...v.tree.frame]).toEqual([ALL, 0, 1, REST]);
    expect(v.tree.total[0]).toBe(big - 5);
    expect(v.total).toBe(big + 5);
    expect(v.signed).toBe(true);
    expect([...v.costs.self, ...v.costs.total, v.costs.left]).toEqual([2, -5, 9, -5, big - 2]);
  });
  it("refuses damage", () => {
    const whole = pack(columns);
    for (let n = 0; n < whole.length; n++) expect(() => decode(whole.slice(0, n))).toThrow();
    expect(() => decode(pack([...columns.slice(0, 5), [0, 9, 0], ...columns.slice(6)]))).toThrow(/damaged/);
    expect(() => decode(pack(columns, { schema: "x" }))).toThrow(/flame-page/);
  });
});
