import { describe, expect, it } from "vitest";
import type { HistorySeries } from "../api/benchhistory.ts";
import type { HistoryDoc } from "../api/benchhistory.ts";
import {
  axisStart,
  chosen,
  columns,
  compareCommits,
  findCommit,
  historyHash,
  historyStart,
  historyState,
} from "./benchhistory.ts";

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
  better: unit === "x" ? "" : unit === "B/s" ? "higher" : "lower",
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

describe("two commits", () => {
  const commit = (hash: string) => ({ short: hash.slice(0, 4), hash, time: "", subject: "" });
  const at = (c: number, center: number, half: number) => ({
    ...point(c, center),
    bounded: half >= 0,
    low: center - half,
    high: center + half,
  });
  const of = (unit: string, ...points: HistorySeries["points"]) => ({ ...series(unit, unit), points });
  const doc = (...all: HistorySeries[]) => ({ series: all }) as HistoryDoc;

  it("differ where their intervals do not overlap", () => {
    const verdicts = (s: HistorySeries) => compareCommits(doc(s), 1, 0).map((r) => [r.change, r.verdict]);
    expect(verdicts(of("sec/op", at(0, 10, 1), at(1, 20, 1)))).toEqual([[1, "worse"]]);
    expect(verdicts(of("B/s", at(0, 10, 1), at(1, 20, 1)))).toEqual([[1, "better"]]);
    expect(verdicts(of("x", at(0, 10, 1), at(1, 20, 1)))).toEqual([[1, "changed"]]);
    expect(verdicts(of("sec/op", at(0, 10, 6), at(1, 20, 6)))).toEqual([[1, "same"]]);
    expect(verdicts(of("sec/op", at(0, 10, -1), at(1, 20, 1)))).toEqual([[1, ""]]);
    expect(verdicts(of("sec/op", at(0, 10, -1), at(1, 10, -1)))).toEqual([[0, "same"]]);
    expect(verdicts(of("sec/op", at(0, 0, 0), at(1, 10, 0)))).toEqual([[null, "worse"]]);
  });
  it("are listed by difference, with what only one of them has", () => {
    const rows = compareCommits(
      doc(
        of("a", at(1, 5, 1)),
        of("sec/op", at(0, 10, 1), at(1, 20, 1)),
        of("B/op", at(0, 10, 1), at(1, 5, 1)),
        of("other", at(7, 1, 1)),
      ),
      1,
      0,
    );
    expect(rows.map((r) => r.series.unit)).toEqual(["sec/op", "B/op", "a"]);
    expect(rows[2]).toMatchObject({ before: null, change: null, verdict: "" });
  });
  it("are found by their hashes", () => {
    const list = [commit("aabbcc"), commit("aabbdd"), commit("ccdd")];
    expect(findCommit(list, "aabbdd")).toBe(1);
    expect(findCommit(list, "cc")).toBe(2);
    expect(findCommit(list, "aabbd")).toBe(1);
    expect(findCommit(list, "aab")).toBe(-1);
    expect(findCommit(list, "")).toBe(-1);
    expect(findCommit(list, "zz")).toBe(-1);
  });
});

describe("a link", () => {
  it("reproduces what is shown", () => {
    for (const s of [historyStart, { query: "a&b", unit: "sec/op", changed: true, commit: "c0ffee", base: "abc" }])
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
