import { describe, expect, it } from "vitest";
import { counted, distinct, hasWords, namesIn, turned } from "./contents.ts";

describe("turned", () => {
  it.each([
    ["", "concat", "concat"],
    ["concat", "regexp", "concat,regexp"],
    ["concat,regexp", "concat", "regexp"],
    ["concat", "concat", ""],
  ])("%j with %s is %j", (param, name, want) => {
    expect(turned(param, name)).toBe(want);
  });
  it.each(["a,b", "a%2Cb", "100%", "%25"])("keeps %j as one name", (name) => {
    expect(namesIn(turned("x", name))).toEqual(["x", name]);
    expect(turned(turned("x", name), name)).toBe("x");
  });
});

describe("counted", () => {
  it("orders by count and then by name", () => {
    expect(counted(["b", "a", "c", "b"], [])).toEqual([["b", 2], ["a", 1], ["c", 1]]);
  });
  it("keeps names that are chosen but do not occur", () => {
    expect(counted(["a"], ["z", "a"])).toEqual([["a", 1], ["z", 0]]);
  });
  it("takes names that objects have anyway", () => {
    expect(counted(["constructor", "__proto__"], [])).toEqual([["__proto__", 1], ["constructor", 1]]);
  });
});

describe("hasWords", () => {
  it.each([
    ["", true],
    ["JOIN go", true],
    ["join  .go", true],
    ["join other", false],
  ])("%j: %s", (query, want) => {
    expect(hasWords(query, ["Join", undefined, "x.go"])).toBe(want);
  });
});

describe("distinct", () => {
  it("numbers what occurs again", () => {
    expect(distinct(["a", "a", "a-2", "b", "a"])).toEqual(["a", "a-2", "a-2-2", "b", "a-3"]);
  });
});
