import { describe, expect, it } from "vitest";
import type { RowSpans, Span, StackAnswer, State, TimelineFrame } from "../api/timeline.ts";
import { icicle } from "./icicle.ts";
import { stackTrack } from "./stacktrack.ts";
import { staysOf } from "./stays.ts";

const frame = (name: string): TimelineFrame => ({ function: name, file: `/src/${name}.go`, line: 1 });

describe("a flame graph of stacks", () => {
  const answer: StackAnswer = {
    by: "wait",
    total: 100,
    frames: [frame("main"), frame("a"), frame("b")],
    stacks: [
      { frames: [1, 0], state: 7, value: 60 },
      { frames: [2, 0], state: 7, value: 30 },
      { frames: [1, 0], state: 8, value: 10 },
    ],
    partial: 0,
  };

  it("adds up calls from the root", () => {
    const boxes = icicle(answer, (n) => `state ${n}`, 0);
    expect(boxes.map((b) => [b.name, b.depth, b.value])).toEqual([
      ["", 0, 100],
      ["main", 1, 100],
      ["a", 2, 70],
      ["b", 2, 30],
      ["state 7", 3, 60],
      ["state 8", 3, 10],
      ["state 7", 3, 30],
    ]);
    for (const b of boxes) expect(b.to - b.from).toBeCloseTo(b.value / 100);
    expect(icicle(answer, String, 0.2).map((b) => b.name)).not.toContain("8");
    expect(icicle({ ...answer, stacks: [] }, String, 0)).toEqual([]);
  });
});

describe("a stack track", () => {
  const states: State[] = [
    { name: "unknown", group: "unknown" },
    { name: "running", group: "running" },
    { name: "runnable", group: "runnable" },
    { name: "sync", group: "waiting" },
  ];
  const stacks: Record<number, TimelineFrame[]> = {
    1: [frame("lock"), frame("handle"), frame("serve")],
    2: [frame("work"), frame("handle"), frame("serve")],
    3: [frame("read"), frame("serve")],
  };

  it("joins equal calls, and has samples while the goroutine runs", () => {
    const spans: Span[] = [
      [0, 100, 1, 0, 1],
      [100, 200, 3, 1, 0],
      [200, 210, 2, 9, 5],
      [210, 300, 1, 0, 1],
    ];
    const samples = [
      [10, 2],
      [60, 2],
      [250, 3],
    ];
    const boxes = stackTrack(spans, samples, states, (n) => stacks[n], 10);
    expect(boxes.map((b) => [b.frame.function, b.depth, b.from, b.to])).toEqual([
      ["serve", 0, 0, 200],
      ["handle", 1, 0, 200],
      ["work", 2, 0, 100],
      ["lock", 2, 100, 200],
      ["serve", 0, 210, 300],
      ["read", 1, 210, 300],
    ]);
    // Of a depth, boxes never overlap.
    for (const a of boxes)
      for (const b of boxes) if (a !== b && a.depth === b.depth) expect(a.to <= b.from || b.to <= a.from).toBe(true);
    expect(stackTrack(spans, samples, states, () => undefined, 10)).toEqual([]);
    expect(Math.max(...stackTrack(spans, samples, states, (n) => stacks[n], 2).map((b) => b.depth))).toBe(1);
  });
});

describe("lengths of spans", () => {
  it("are counted by state", () => {
    const rows: RowSpans[] = [
      {
        id: "g1",
        spans: [
          [0, 10, 1, 0, 0],
          [10, 1010, 3, 5, 0],
          [2000, 2010, 3, 5, 0],
        ],
      },
      { id: "g2", parts: [[0, 10, 1, 10]] },
    ];
    const a = staysOf(rows, { from: 0, to: 3000 }, 3, 1, 0);
    expect(a).toMatchObject({ count: 2, total: 1010, partial: 1 });
    expect(a.longest).toEqual([{ id: "g1", from: 10, to: 1010, state: 3, stack: 5 }]);
    expect(a.buckets.map((b) => b.count)).toEqual([1, 1]);
    for (const b of a.buckets) expect(b.from).toBeLessThan(b.to);
    expect(staysOf(rows, { from: 0, to: 1500 }, -1, 10, 0).count).toBe(2);
  });
});
