import { describe, expect, it } from "vitest";
import type { HistorySeries } from "../api/benchhistory.ts";
import { axisStart, chosen, columns, historyHash, historyStart, historyState } from "./benchhistory.ts";

const point = (commit: number, center: number) => ({
  commit,
  center,
  bounded: commit % 2 === 0,
  low: center - 1,
  high: center + 1,
  n: 5,
  runs: 1,
});
const series = (name: string, unit: string, ...at: number[]): HistorySeries => ({
  name,
  unit,
  binary: false,
  about: "",
  points: [point(1, 10), point(2, 10), point(4, 20)],
  changes: at.map((i) => ({ after: i - 2, at: i, from: 10, to: 20, text: "+100%", verdict: "worse" })),
});

describe("series along commits", () => {
  it("have gaps where a commit was not measured, and levels", () => {
    expect(columns(series("a", "sec/op", 4))).toEqual([
      [1, 2, 3, 4],
      [10, 9, null, 19],
      [10, 11, null, 21],
      [10, 10, null, 20],
      [10, 10, null, 20],
    ]);
    expect(columns({ ...series("a", "x"), points: [] })[0]).toEqual([0]);
  });
  it("are those asked for, the last changed first", () => {
    const all = [series("a/one", "sec/op"), series("b/two", "B/op", 3), series("c/one", "sec/op", 2, 4)];
    const names = (s: Partial<typeof historyStart>) =>
      chosen(all, { ...historyStart, ...s })
        .map((x) => x.name[0])
        .join("");
    expect(names({})).toBe("cba");
    expect(names({ changed: true })).toBe("cb");
    expect(names({ query: "ONE" })).toBe("ca");
    expect(names({ unit: "B/op" })).toBe("b");
  });
});

describe("a link", () => {
  it("reproduces what is shown", () => {
    for (const s of [historyStart, { query: "a&b", unit: "sec/op", changed: true }])
      expect(historyState(`#${historyHash(s)}`)).toEqual(s);
    expect(historyState("#show=x&&q")).toEqual(historyStart);
  });
});

describe("the axis", () => {
  it("begins at zero when that is near, and below the values otherwise", () => {
    expect(axisStart(1, 100)).toBe(0);
    expect(axisStart(99, 100)).toBeGreaterThan(90);
    expect(axisStart(99, 100)).toBeLessThan(99);
    expect(axisStart(5, 5)).toBeLessThan(5);
    expect(axisStart(-5, 5)).toBeLessThan(-5);
  });
});
