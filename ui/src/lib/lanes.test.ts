import { expect, it } from "vitest";
import { laneData } from "./lane.ts";
import { lanesSvg } from "./lanes.ts";
import { SvgPen } from "./svg.ts";

it("draws what rows do in a window", () => {
  const states = [
    { name: "running", group: "running" },
    { name: "<waits>", group: "waiting" },
  ];
  const rows = [
    { id: "g1", spans: [[0, 50, 0], [50, 100, 1]] as [number, number, number][] },
    { id: "g2", parts: [[0, 100, 0, 30, 1, 70]] },
  ];
  const lanes = rows.map((r) => ({ name: r.id, data: laneData(r as never, 0, 100, 1000) }));
  const pen = new SvgPen((css) => css);
  const svg = lanesSvg("t", lanes, states, { from: 25, to: 75 }, pen, (s) => s?.name ?? "none", "ink");
  // Spans end where the window does; a part has the state that most of it is in.
  const boxes = [...svg.matchAll(/<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" .*? fill="([^"]+)"/g)];
  expect(boxes.map((b) => [Number(b[1]), Number(b[3]), b[4]])).toEqual([
    [276, 600, "running"],
    [876, 600, "&lt;waits&gt;"],
    [276, 1200, "&lt;waits&gt;"],
  ]);
  expect(svg).toContain("<title>g1: running 50ns</title>");
});
