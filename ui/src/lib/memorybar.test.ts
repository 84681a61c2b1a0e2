import { expect, it } from "vitest";
import { memorySvg } from "./memorybar.ts";
import { SvgPen } from "./svg.ts";

it("draws the parts next to each other, as wide as their share, and names them", () => {
  const parts = [
    { name: "live <heap>", size: "3MB", bytes: 3, color: "#aa0000" },
    { name: "free", size: "1MB", bytes: 1, color: "#00aa00" },
  ];
  const svg = memorySvg("4MB resident", parts, new SvgPen((c) => c));
  const bars = [...svg.matchAll(/<rect x="([\d.]+)" y="38" width="([\d.]+)" height="32" fill="(#\w+)"/g)];
  expect(bars.map((m) => m.slice(1))).toEqual([
    ["20", "690", "#aa0000"],
    ["710", "230", "#00aa00"],
  ]);
  expect(svg).toContain("live &lt;heap&gt;: 3MB");
  expect(svg).toContain("<title>4MB resident</title>");
});

it("draws nothing of a program without memory", () => {
  expect(memorySvg("0B", [], new SvgPen((c) => c))).not.toContain("NaN");
});
