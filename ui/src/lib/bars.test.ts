import { expect, it } from "vitest";
import { barsSvg } from "./bars.ts";
import { SvgPen } from "./svg.ts";

it("draws bars from a common zero, to both sides", () => {
  const rows = [
    { name: "grew", note: "a.go:1", value: 30, text: "+30", color: "red" },
    { name: "<shrank>", note: "", value: -10, text: "−10", color: "blue" },
    { name: "x".repeat(200), note: "", value: 0, text: "0", color: "blue" },
  ];
  const svg = barsSvg("Difference", rows, new SvgPen((c) => c), "black", "gray");
  const at = (color: string) => {
    const [, x, w] = new RegExp(`<rect x="([\\d.]+)" [^>]*width="([\\d.]+)"[^>]*fill="${color}"`).exec(svg)!;
    return [Number(x), Number(w)] as const;
  };
  expect(at("red")[1]).toBe(3 * at("blue")[1]);
  expect(at("blue")[0] + at("blue")[1]).toBe(at("red")[0]);
  expect(svg).toContain("&lt;shrank&gt;: −10");
  expect(svg).not.toContain(`${"x".repeat(100)}</text>`);
  expect(barsSvg("none", [], new SvgPen((c) => c), "black", "gray")).toContain("<svg");
});

it("draws courses as lines from the oldest value to the newest", () => {
  const rows = [{ name: "a", note: "", value: 1, text: "50%", color: "red", course: [0, 1, 0.5] }];
  const svg = barsSvg("Course", rows, new SvgPen((c) => c), "black", "gray");
  expect(svg).toContain('<polyline points="460,70 610,46 760,58" fill="none" stroke="red"');
  expect(svg).not.toContain("<rect");
});
