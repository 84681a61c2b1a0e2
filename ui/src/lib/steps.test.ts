import { expect, it } from "vitest";
import { steps } from "./steps.ts";

it("makes the corners of steps", () => {
  const points = [
    [0, 5],
    [1, 7],
    [3, 2],
  ] as const;
  expect(steps(points, 0)).toEqual(points);
  expect(steps(points, 1).map(String)).toEqual(["0,5", "1,5", "1,7", "3,7", "3,2"]);
  expect(steps(points, -1).map(String)).toEqual(["0,5", "0,7", "1,7", "1,2", "3,2"]);
  expect(steps([], 1)).toEqual([]);
});
