import { describe, expect, it } from "vitest";
import { curve, lastOf, perSecond } from "./live.ts";

describe("the course of a cost", () => {
  it("ends at the right, and reaches from the bottom to the top", () => {
    expect(curve([0, 5, 10], 3, 102, 22)).toBe("1.0,20.0 51.0,11.0 101.0,2.0");
    expect(curve([10], 3, 102, 22)).toBe("101.0,2.0");
    expect(curve([1, 2, 0, -3], 2, 102, 22)).toBe("1.0,20.0 101.0,20.0");
    expect(curve([], 3, 102, 22)).toBe("");
    expect(curve([1], 1, 102, 22)).toBe("101.0,2.0");
  });
  it("has a last value and a rate", () => {
    expect(lastOf([1, 2])).toBe(2);
    expect(lastOf(null)).toBe(0);
    expect(perSecond(100, 2e9)).toBe(50);
    expect(perSecond(100, 0)).toBe(0);
  });
});
