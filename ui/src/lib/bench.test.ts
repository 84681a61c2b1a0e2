import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { BenchPageChange, BenchPageRow } from "../api/bench.ts";
import {
  arrange,
  axisRange,
  benchHash,
  benchStart,
  benchState,
  matches,
  percentChange,
  probability,
  runningMedian,
  ticks,
} from "./bench.ts";
import { axisLabels, scaled } from "./benchunit.ts";

describe("scales", () => {
  it("write numbers as benchunit does", () => {
    const lines = readFileSync(
      new URL("../../../internal/report/benchmarks/testdata/bench-units.jsonl", import.meta.url),
      "utf8",
    )
      .trim()
      .split("\n");
    expect(lines.length).toBeGreaterThan(200);
    for (const line of lines) {
      const { value, decimal, binary } = JSON.parse(line) as { value: number; decimal: string; binary: string };
      if (Math.abs(value) >= 1e21) continue; // toFixed then writes powers of ten
      expect([value, scaled(value, false), scaled(value, true)]).toEqual([value, decimal, binary]);
    }
  });
  it("label an axis in one prefix", () => {
    expect(axisLabels([0, 5e-7, 1e-6, 1.5e-6], false)).toEqual(["0", "0.5µ", "1.0µ", "1.5µ"]);
    expect(axisLabels([1.99e-6, 2e-6, 2.01e-6], false)).toEqual(["1.99µ", "2.00µ", "2.01µ"]);
    expect(axisLabels([1024, 2048], true)).toEqual(["1Ki", "2Ki"]);
    expect(axisLabels([], false)).toEqual([]);
  });
});

const cell = (values: number[], column = 0) => ({
  column,
  values,
  center: values[0] ?? 0,
  bounded: false,
  low: 0,
  high: 0,
});

describe("the axis", () => {
  it("leaves out what lies far out", () => {
    const r = axisRange([cell([10, 10.1, 10.2, 10.3, 9.9, 9.8, 500])]);
    expect(r.high).toBeLessThan(11);
    expect(r.low).toBeGreaterThan(9);
  });
  it("shows all when most is alike", () => {
    const r = axisRange([cell([64, 64, 64, 64, 64, 128])]);
    expect(r.low).toBeLessThanOrEqual(64);
    expect(r.high).toBeGreaterThan(128);
  });
  it("is not narrower than the difference that matters", () => {
    const r = axisRange([cell([1, 1, 1]), cell([1.0001, 1.0001])]);
    expect(r.high - r.low).toBeGreaterThan(0.02);
  });
  it("does not go below zero without need, and is never empty", () => {
    expect(axisRange([cell([0, 0, 1])]).low).toBe(0);
    for (const values of [[0], [0, 0], [-5], []]) {
      const r = axisRange([cell(values)]);
      expect(r.high).toBeGreaterThan(r.low);
    }
    expect(axisRange([]).high).toBeGreaterThan(axisRange([]).low);
  });
  it("has round ticks", () => {
    expect(ticks({ low: 0.98e-6, high: 1.32e-6 }, 5)).toEqual([1e-6, 1.1e-6, 1.2e-6, 1.3e-6]);
    expect(ticks({ low: 0, high: 1 }, 2)).toEqual([0, 0.5, 1]);
    expect(ticks({ low: 1, high: 1 }, 5)).toEqual([]);
    expect(ticks({ low: NaN, high: 1 }, 5)).toEqual([]);
    for (let i = 0; i < 50; i++) {
      const n = ticks({ low: 3.7 * i, high: 3.7 * i + 1.3 ** i }, 6).length;
      expect(n).toBeGreaterThan(0);
      expect(n).toBeLessThan(8);
    }
  });
});

function change(delta: number, verdict: string): BenchPageChange {
  return { delta, finite: Number.isFinite(delta), text: "", p: 0, q: 0, verdict, words: verdict };
}
function row(name: string, ...changes: BenchPageChange[]): BenchPageRow {
  return {
    name,
    pairs: [],
    notes: [],
    cells: changes.map((c, column) => ({
      column,
      n: 1,
      values: [],
      center: 0,
      bounded: false,
      low: 0,
      high: 0,
      text: "",
      range: "",
      changes: [c],
    })),
  };
}
const rows = [
  row("a/Same", change(0.5, "same")),
  row("b/Up", change(0.05, "worse")),
  row("c/Down", change(-0.1, "better")),
  row("d/Zero", change(Infinity, "worse")),
  row("e/Two", change(0.01, "same"), change(-0.02, "better")),
  row("f/None"),
];
const names = (s: Partial<typeof benchStart>) =>
  arrange(rows, { ...benchStart, ...s })
    .map((r) => r.name[0])
    .join("");

describe("the order", () => {
  it("has what holds first, the largest before", () => {
    expect(names({})).toBe("dcbeaf");
  });
  it("is as asked for", () => {
    expect(names({ order: "name" })).toBe("abcdef");
    expect(names({ order: "file" })).toBe("abcdef");
    expect(names({ order: "delta" })).toBe("dabecf");
  });
  it("shows the selected rows", () => {
    expect(names({ show: "worse" })).toBe("db");
    expect(names({ show: "better" })).toBe("ce");
    expect(names({ show: "changed" })).toBe("dcbe");
    expect(names({ query: "o  T" })).toBe("e");
    expect(matches("Encode/json", "JSON enc")).toBe(true);
    expect(matches("Encode/json", "gob")).toBe(false);
  });
});

describe("a link", () => {
  it("reproduces what is shown", () => {
    for (const s of [benchStart, { query: "a b/&=#é", unit: "B/op", show: "worse", order: "name" } as const])
      expect(benchState(`#${benchHash(s)}`)).toEqual(s);
    expect(benchHash(benchStart)).toBe("");
    expect(benchState("#show=nothing&order=%zz&x")).toEqual(benchStart);
  });
});

describe("words", () => {
  it("are short", () => {
    expect([0, 0.0004, 0.05, 1].map(probability)).toEqual(["0.000", "<0.001", "0.050", "1.000"]);
    expect([0.0123, -0.5, 0, 1e-9].map((v) => percentChange(v))).toEqual(["+1.23%", "-50.00%", "0%", "0%"]);
    expect([0, 0.05].map((v) => percentChange(v, [0, 0.05]))).toEqual(["0%", "+5%"]);
  });
});

describe("the running median", () => {
  it("follows steps and passes over outliers", () => {
    expect(runningMedian([1, 1, 9, 1, 1, 2, 2, 2], 3)).toEqual([1, 1, 1, 1, 1, 2, 2, 2]);
    expect(runningMedian([], 5)).toEqual([]);
  });
});
