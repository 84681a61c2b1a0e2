import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { percent, quantity } from "./format.ts";

it("writes numbers as Go's package unit does", () => {
  const url = new URL("../../../internal/report/pictures/testdata/flame-units.jsonl", import.meta.url);
  const lines = readFileSync(url, "utf8").trim().split("\n");
  expect(lines.length).toBeGreaterThan(200);
  for (const line of lines) {
    const s = JSON.parse(line) as { value: number; unit: string; total: number; text: string; share: string };
    expect(quantity(s.value, s.unit), line).toBe(s.text);
    expect(percent(s.value, s.total), line).toBe(s.share);
  }
});
