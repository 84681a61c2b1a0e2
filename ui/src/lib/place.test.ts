import { describe, expect, it } from "vitest";
import { findPlace, placeOf, readPlace } from "./place.ts";
import { plainAll } from "./plain.ts";

const boxes = { n: 6, parent: [-1, 0, 1, 0, 3, 3], w: [10, 4, 4, 6, 5, 1] };
const names = ["all", "main", "work", "serve", "work", "a~b"];
const name = (i: number) => names[i]!;

describe("places of boxes", () => {
  it("find the same path", () => {
    expect(findPlace(placeOf(["main", "work"]), boxes, name)).toBe(2);
    expect(findPlace(placeOf(["serve", "work"]), boxes, name)).toBe(4);
  });
  it("find the widest box of a function elsewhere", () => {
    expect(findPlace(placeOf(["other", "work"]), boxes, name)).toBe(4);
    expect(findPlace("work", boxes, name)).toBe(4);
  });
  it("find the root without a place, and for one that is gone", () => {
    expect(findPlace("", boxes, name)).toBe(0);
    expect(findPlace(placeOf(["gone"]), boxes, name)).toBe(0);
  });
  it("keep names with a tilde", () => {
    expect(readPlace(placeOf(["serve", "a~b"])).name).toBe("a~b");
    expect(findPlace(placeOf(["serve", "a~b"]), boxes, name)).toBe(5);
  });
});

describe("foreign texts", () => {
  it("lose control characters and directions, and keep tabs", () => {
    const doc = JSON.parse('{"a": ["\\u001b[31m\\tx\\u202ey"], "__proto__": {"b\\u0007": 1}}') as Record<
      string,
      unknown
    >;
    const safe = plainAll(doc);
    expect(safe["a"]).toEqual(["\ufffd[31m\tx\ufffdy"]);
    expect(JSON.stringify(safe)).toContain('"__proto__":{"b\ufffd":1}');
  });
});
