import { describe, expect, it } from "vitest";
import type { LoadSecond } from "../api/load.ts";
import { align, ms, percentileLabel, perSecond, thin, whole } from "./load.ts";

describe("the percentile axis", () => {
  it("names decades", () => {
    expect([1, 2, 10, 100, 1000, 10_000, 1e6].map(percentileLabel)).toEqual([
      "0%",
      "50%",
      "90%",
      "99%",
      "99.9%",
      "99.99%",
      "99.9999%",
    ]);
    expect(percentileLabel(NaN)).toBe("0%");
  });
});

describe("seconds", () => {
  it("leave out a last one that is not whole", () => {
    const second = (at: number, partial: boolean): LoadSecond => ({
      at,
      rate: 100,
      failed: 0,
      p50: 1,
      p99: 2,
      max: 3,
      partial,
      length: partial ? 0.2 : 1,
    });
    expect(whole([second(1, false), second(2, false), second(2.2, true)]).map((s) => s.at)).toEqual([1, 2]);
    expect(whole([second(1, false), second(2, false)]).map((s) => s.at)).toEqual([1, 2]);
    // A run that is shorter than a second has nothing else.
    expect(whole([second(0.2, true)]).map((s) => s.at)).toEqual([0.2]);
    expect(whole([])).toEqual([]);
  });
});

describe("numbers", () => {
  it("have the unit that suits them", () => {
    expect([0, 0.012, 0.5, 1, 12.34, 999, 1500, 60_000].map(ms)).toEqual([
      "0",
      "12us",
      "500us",
      "1ms",
      "12.3ms",
      "999ms",
      "1.50s",
      "60s",
    ]);
    expect(ms(null)).toBe("–");
  });
  it("are rates", () => {
    expect([0, 12.34, 5000.2].map(perSecond)).toEqual(["0/s", "12.3/s", "5000/s"]);
  });
});

describe("align", () => {
  it("joins by x and leaves gaps", () => {
    expect(
      align([
        [
          [1, 10],
          [3, 30],
        ],
        [
          [2, 200],
          [3, 300],
        ],
      ]),
    ).toEqual([
      [1, 2, 3],
      [10, null, 30],
      [null, 200, 300],
    ]);
    expect(align([[], []])).toEqual([[], [], []]);
  });
});

describe("thin", () => {
  it("keeps both ends", () => {
    const rows = Array.from({ length: 1000 }, (_, i) => i);
    const some = thin(rows, 100);
    expect(some.length).toBe(100);
    expect(some[0]).toBe(0);
    expect(some[99]).toBe(999);
    expect(thin([1, 2], 100)).toEqual([1, 2]);
  });
});
