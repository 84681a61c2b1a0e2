import { describe, expect, it } from "vitest";
import { hashOf, partsOf } from "./chartparts.ts";

describe("parts of charts", () => {
  it("are in the address, and read from it", () => {
    const parts = new Map([
      [3, { from: 0.5, to: 3.25 }],
      [1, { from: -2, to: 1e-7 }],
    ]);
    expect(hashOf(parts)).toBe("part1=-2~1e-7&part3=0.5~3.25");
    expect(partsOf(`#${hashOf(parts)}`)).toEqual(parts);
    expect(hashOf(new Map())).toBe("");
  });
  it("are left out where they are none", () => {
    const bad = "#part0=1~2&part1=2~1&part2=x~3&part3=1&other=1~2&part4=1~Infinity&part123=1~2&part5=1~2~3&part6=1~2";
    expect([...partsOf(bad).keys()]).toEqual([6]);
  });
});
