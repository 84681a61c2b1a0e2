import { describe, expect, it } from "vitest";
import {
  costValue,
  difference,
  diffLines,
  figures,
  filesOf,
  hunkLine,
  numberOf,
  ofFiles,
  predictedChange,
  type UnitOf,
} from "./proof.ts";

const unit = (u: Partial<UnitOf>): UnitOf => ({
  unit: "sec/op",
  better: "lower",
  a: { median: 2e-6 },
  b: { median: 1e-6 },
  ratio: 0.5,
  low: 0.48,
  high: 0.52,
  verdict: "better",
  ...u,
});

describe("numberOf", () => {
  it("reads what Go writes of numbers that JSON lacks", () => {
    expect([1, "NaN", "+Inf", "-Inf", null].map(numberOf)).toEqual([1, NaN, Infinity, -Infinity, NaN]);
  });
});

describe("difference", () => {
  it("has the input that both share, and both answers", () => {
    const d = difference(
      'Join behaves differently:\nthe results differ\nbefore:\n  r0 := Join([]string{" a"})\n  r0 = " a"\nafter:\n' +
        '  r0 := Join([]string{" a"})\n  r0 = "a"\n',
    );
    expect(d).toEqual({
      what: "Join behaves differently",
      note: "",
      input: 'r0 := Join([]string{" a"})',
      before: [{ text: 'r0 = " a"', differs: true }],
      after: [{ text: 'r0 = "a"', differs: true }],
    });
  });
  it("keeps the last line of each side, even if all before are equal", () => {
    const d = difference("F behaves differently:\nbefore:\nx\ny\nz\nafter:\nx\nw\nz");
    expect(d?.input).toBe("x");
    expect(d?.before.map((l) => l.differs)).toEqual([true, false]);
  });
  it("separates a difference in memory from the answer", () => {
    const d = difference(
      "F behaves differently:\nthe results differ\nbefore:\na\nafter:\na\n" +
        "the result shares memory, as it never did before",
    );
    expect(d?.note).toBe("the result shares memory, as it never did before");
    expect(d?.after).toEqual([{ text: "a", differs: false }]);
  });
  it("is null for other reasons", () => {
    expect(difference("Join sec/op -50.0%")).toBeNull();
    expect(difference("before:\nonly one side")).toBeNull();
    expect(difference("")).toBeNull();
  });
  it("takes sides without lines", () => {
    expect(difference("x\nbefore:\nafter:\n")).toMatchObject({ before: [], after: [], input: "" });
  });
});

describe("figures", () => {
  it("has the first unit, those that differ, and with all bytes and allocations", () => {
    const subject = {
      name: "Join",
      units: [
        unit({ verdict: "same", ratio: 1, low: 0.99, high: 1.01 }),
        unit({ unit: "B/op", verdict: "same", a: { median: 2048 }, b: { median: 2048 }, ratio: 1, low: 1, high: 1 }),
        unit({ unit: "x/op", verdict: "undecided" }),
        unit({ unit: "y/op", verdict: "worse", ratio: 12.34, low: 12, high: 13 }),
      ],
    };
    expect(figures([subject], false).map((r) => r.unit)).toEqual(["sec/op", "y/op"]);
    const all = figures([subject], true);
    expect(all.map((r) => r.unit)).toEqual(["sec/op", "B/op", "y/op"]);
    expect(all[1]).toMatchObject({ before: "2.000Ki", after: "2.000Ki", change: "0.00%", interval: "±0%" });
    expect(all[2]).toMatchObject({ change: "12.3x", times: "", remaining: 1 });
  });
  it("writes numbers as whet prove does", () => {
    expect(figures([{ name: "Clean", units: [unit({})] }], false)[0]).toEqual({
      name: "Clean",
      unit: "sec/op",
      relative: -0.5,
      before: "2.000µ",
      after: "1.000µ",
      change: "−50.00%",
      interval: "±4.1%",
      verdict: "better",
      times: "2.0x",
      remaining: 0.5,
    });
  });
  it("never has ±∞ or NaN", () => {
    const none = { ratio: "NaN", low: "-Inf", high: "+Inf" };
    const gone = unit({ unit: "allocs/op", a: { median: 1 }, b: { median: 0 }, ...none });
    expect(figures([{ name: "F", units: [gone] }], false)[0]).toMatchObject({
      change: "−100%",
      interval: "",
      times: "",
      remaining: 0,
    });
    const few = unit({ ratio: 0.9, low: 0, high: "+Inf", verdict: "undecided" });
    expect(figures([{ name: "F", units: [few] }], false)[0]).toMatchObject({ change: "−10.00%", interval: "" });
    expect(figures([{ name: "F", units: null }], true)).toEqual([]);
  });
  it("counts a rate the other way", () => {
    const rate = unit({ unit: "B/s", better: "higher", a: { median: 1e6 }, b: { median: 2e6 }, ratio: 2 });
    expect(figures([{ name: "F", units: [rate] }], false)[0]).toMatchObject({ times: "2.0x", remaining: -1 });
  });
});

describe("costValue", () => {
  it("has the unit of each", () => {
    const quantity = (v: number, u: string) => `${v} of ${u}`;
    expect(costValue(3, "B", quantity)).toBe("3 of bytes");
    expect(costValue(3, "ns", quantity)).toBe("3 of nanoseconds");
    expect(costValue(1.23456, "x/op", quantity)).toBe("1.235 x/op");
    expect(costValue(3, "", quantity)).toBe("3");
  });
});

describe("diffLines", () => {
  it("counts the lines of hunks", () => {
    const lines = diffLines(
      "diff a/x.go b/x.go\n--- a/x.go\n+++ b/x.go\n@@ -1,3 +1,3 @@\n a\n--- gone\n+++ new\n b\n@@ -9 +9 @@\n-c\n+d\n",
    );
    expect(lines.map((l) => l.kind)).toEqual(["file", "hunk", "", "minus", "plus", "", "hunk", "minus", "plus"]);
    expect(lines[0]!.text).toBe("x.go");
  });
  it("takes what is no diff", () => {
    expect(diffLines("")).toEqual([{ kind: "", text: "" }]);
    expect(diffLines("@@ what @@\n+x").map((l) => l.kind)).toEqual(["hunk", ""]);
  });
});

describe("the files of a diff", () => {
  const lines = diffLines(
    "diff a/a.go b/a.go\n--- a/a.go\n+++ b/a.go\n@@ -1 +1 @@\n-x\n+y\n" +
      "diff a/b/c.go b/b/c.go\n--- a/b/c.go\n+++ b/b/c.go\n@@ -9,2 +12,2 @@\n--- z\n+++ z\n same\n",
  );
  it("are named, and a removed line is not one", () => {
    expect(filesOf(lines)).toEqual(["a.go", "b/c.go"]);
  });
  it("are kept by name", () => {
    expect(ofFiles(lines, (f) => f === "a.go").map((l) => l.text)).toEqual(["a.go", "@@ -1 +1 @@", "-x", "+y"]);
    expect(ofFiles(lines, () => true)).toEqual(lines);
    expect(ofFiles(lines, () => false)).toEqual([]);
  });
  it.each([
    ["@@ -9,2 +12,2 @@ func F()", 12],
    ["@@ -1 +0,0 @@", 0],
    ["@@ x", 0],
  ])("begin their hunks: %s", (text, want) => {
    expect(hunkLine(text)).toBe(want);
  });
});

describe("a prediction", () => {
  it("has its interval", () => {
    expect(predictedChange({ change: -0.06, low: -0.08, high: 0.004 })).toBe("−6.0% (−8.0% … +0.4%)");
  });
  it("has none if that is infinite", () => {
    expect(predictedChange({ change: 0.01, low: "-Inf", high: "+Inf" })).toBe("+1.0%");
  });
});
