import { expect, test } from "vitest";
import type { WorkbenchFile } from "../api/v1.ts";
import { choicesOf, fullType, splitType } from "./sampletype.ts";

const types = (names: string[]) => names.map((type) => ({ type, unit: "" }));

test("a type is completed by the profiles of the file", () => {
  const recording = choicesOf({
    profiles: [
      { name: "goroutine", types: types(["goroutine"]) },
      { name: "mutex", types: types(["contentions", "delay"]) },
      { name: "cpu", types: types(["samples", "cpu"]) },
      { name: "allocs", types: types(["alloc_objects", "alloc_space"]) },
    ],
  } as unknown as WorkbenchFile);
  expect(recording.map((c) => c.text)).toContain("mutex · delay");
  expect(recording.map((c) => c.text)).toContain("goroutine");
  for (const [given, want] of [
    ["", "cpu:cpu"],
    ["cpu:samples", "cpu:samples"],
    ["alloc_space", "allocs:alloc_space"],
    ["mutex", "mutex:delay"],
    ["nothing", "goroutine:goroutine"],
  ] as const)
    expect(fullType(given, recording), given).toBe(want);
  expect(fullType("cpu", [])).toBe("cpu");
  const profile = choicesOf({ profiles: [{ name: "", types: types(["samples", "cpu"]) }] } as unknown as WorkbenchFile);
  expect(fullType("", profile)).toBe("cpu");
  expect(splitType("heap.live:inuse_space")).toEqual(["heap.live", "inuse_space"]);
  expect(splitType("cpu")).toEqual(["", "cpu"]);
});
