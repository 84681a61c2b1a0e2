import { describe, expect, it } from "vitest";
import { timelineCells, timelineRows } from "./timelinetable.ts";

const states = [
  { name: "running", group: "run" },
  { name: "waiting", group: "wait" },
];
const row = (id: string) => ({ id, name: `G ${id}`, kind: "main.work", from: 0, to: 100 });

describe("timelineRows", () => {
  it("adds up spans and parts within the window", () => {
    const answer = {
      from: 0,
      to: 100,
      width: 10,
      rows: [
        { id: "g1", spans: [[0, 30, 0, 0, 0] as const, [30, 80, 1, 0, 0] as const].map((s) => [...s]) as never },
        { id: "g2", parts: [[0, 100, 0, 40, 1, 60]] },
      ],
    };
    const rows = timelineRows("goroutine", [row("g1"), row("g2"), row("g3")], [answer], states, { from: 10, to: 50 });
    expect(rows.map((r) => r.time)).toEqual([{ running: 20, waiting: 20 }, { running: 16, waiting: 24 }, {}]);
    expect(timelineCells(rows)).toEqual([
      ["type", "id", "name", "kind", "from_ns", "to_ns", "running_ns", "waiting_ns"],
      ["goroutine", "g1", "G g1", "main.work", 0, 100, 20, 20],
      ["goroutine", "g2", "G g2", "main.work", 0, 100, 16, 24],
      ["goroutine", "g3", "G g3", "main.work", 0, 100, 0, 0],
    ]);
  });
});
