import { describe, expect, it } from "vitest";
import type { Part, RowSpans, Span } from "../api/timeline.ts";
import { clean } from "./clean.ts";
import { apart } from "./labelroom.ts";
import { busyShares, laneData, nearest, onlyState, stretchOf, suffices, sums, thin } from "./lane.ts";
import { frameKind, ownFrame } from "./owncode.ts";
import { colorOf } from "./states.ts";
import { fromTimelineHash, initialTimeline, timelineHash } from "./timelinehash.ts";
import { around, exactTime, pan, timeTicks, within, zoomAt } from "./timescale.ts";

const extent = { from: 0, to: 1e9 };

/** Random numbers with a fixed seed. */
function random(): () => number {
  let x = 12345;
  return () => (x = (x * 1103515245 + 12345) % 2 ** 31) / 2 ** 31;
}

describe("windows", () => {
  it("stay within the trace and keep the time under the pointer", () => {
    const next = random();
    for (let i = 0; i < 500; i++) {
      const from = next() * 9e8;
      const w = within({ from, to: from + 10 ** (2 + next() * 6) }, extent);
      const at = w.from + next() * (w.to - w.from);
      const z = zoomAt(w, at, 0.5, extent);
      for (const x of [w, z, zoomAt(w, at, 3, extent), pan(w, 1e9 * (next() - 0.5), extent), around(w, extent)]) {
        expect(x.from).toBeGreaterThanOrEqual(0);
        expect(x.to).toBeLessThanOrEqual(1e9 + 1e-3);
        expect(x.to).toBeGreaterThan(x.from);
      }
      if (w.to - w.from > 1000 && z.from > 0 && z.to < 1e9) {
        expect((at - z.from) / (z.to - z.from)).toBeCloseTo((at - w.from) / (w.to - w.from), 3);
      }
    }
    expect(zoomAt(extent, 5, 10, extent)).toEqual(extent);
    expect(around({ from: 2e8, to: 1e9 }, extent)).toEqual({ from: 1.2e8, to: 1e9 });
    expect(within({ from: 5, to: 6 }, extent).to - within({ from: 5, to: 6 }, extent).from).toBe(200);
    expect(within({ from: 0, to: 9 }, { from: 10, to: 11 })).toEqual({ from: 10, to: 11 });
  });

  it("have round ticks in one unit", () => {
    expect(timeTicks({ from: 0, to: 2.5e9 }, 6).labels).toEqual([
      "0ms",
      "500ms",
      "1000ms",
      "1500ms",
      "2000ms",
      "2500ms",
    ]);
    expect(timeTicks({ from: 1.2e9, to: 1.2001e9 }, 5)).toEqual({
      values: [1.2e9, 1.20002e9, 1.20004e9, 1.20006e9, 1.20008e9, 1.2001e9],
      labels: ["+0us", "+20us", "+40us", "+60us", "+80us", "+100us"],
      base: "1.2s",
    });
    const next = random();
    for (let i = 0; i < 300; i++) {
      const from = Math.floor(next() * 1e12);
      const w = { from, to: from + 10 ** (2.3 + next() * 9) };
      const count = 1 + Math.floor(next() * 12);
      const t = timeTicks(w, count);
      expect(t.values.length).toBeLessThanOrEqual(count + 1);
      expect(new Set(t.labels).size).toBe(t.labels.length);
      for (const v of t.values) expect(v >= w.from && v <= w.to).toBe(true);
      for (const l of t.labels) expect(l.length).toBeLessThan(11);
    }
    expect(exactTime(1234567890)).toBe("1.23456789s");
    expect(exactTime(0)).toBe("0s");
  });
});

describe("lanes", () => {
  const spans: Span[] = [
    [0, 10, 1, 0, 0],
    [10, 11, 2, 0, 0],
    [11, 100, 3, 0, 0],
    [200, 300, 1, 0, 0],
  ];

  it("find what is at a time", () => {
    expect(nearest(spans, 0, 5, 1)).toBe(0);
    expect(nearest(spans, 0, 50, 1)).toBe(2);
    expect(nearest(spans, 0, 150, 1)).toBe(-1);
    expect(nearest(spans, 0, 150, 60)).toBe(3); // the longest that is near
    expect(nearest([], 0, 150, 60)).toBe(-1);
  });

  it("find spans that overlap others", () => {
    const d = laneData(
      {
        id: "c0",
        spans: [
          [50, 60, 1, 0, 0],
          [0, 100, 1, 0, 0],
        ],
      },
      0,
      100,
      10,
    );
    expect(d.spans[0][0]).toBe(0);
    expect(d.reach).toBe(100);
    expect(nearest(d.spans, d.reach, 80, 1)).toBe(0);
  });

  it("are as busy as their spans", () => {
    const d = laneData(
      {
        id: "p0",
        spans: [
          [0, 10, 1, 0, 0],
          [15, 20, 1, 0, 0],
          [25, 45, 1, 0, 0],
        ],
      },
      0,
      100,
      100,
    );
    expect([...busyShares(d, { from: 0, to: 40 }, 4)]).toEqual([1, 0.5, 0.5, 1]);
    const parts = laneData({ id: "p0", parts: [[0, 20, 1, 5, 2, 5]] }, 0, 100, 100);
    expect([...busyShares(parts, { from: 0, to: 40 }, 4)]).toEqual([0.5, 0.5, 0, 0]);
  });

  it("know parts that are one state", () => {
    const parts: Part[] = [
      [0, 10, 3, 10],
      [10, 20, 3, 10],
      [20, 30, 3, 6, 1, 4],
      [30, 40, 3, 10],
      [50, 60, 3, 10],
      [60, 70, 3, 4],
    ];
    expect(parts.map(onlyState)).toEqual([3, 3, -1, 3, 3, -1]);
    expect(stretchOf(parts, 0)).toEqual({ from: 0, to: 20 });
    expect(stretchOf(parts, 1)).toEqual({ from: 0, to: 20 });
    expect(stretchOf(parts, 2)).toEqual({ from: 20, to: 30 });
    expect(stretchOf(parts, 3)).toEqual({ from: 30, to: 40 });
    expect(stretchOf(parts, 4)).toEqual({ from: 50, to: 60 });
  });

  it("know when answers are fine enough", () => {
    const exact = laneData({ id: "g1", spans }, 0, 300, 100);
    const rough = laneData({ id: "g1", parts: [[0, 300, 1, 300]] }, 0, 300, 100);
    expect(suffices(exact, { from: 10, to: 20 }, 1000)).toBe(true);
    expect(suffices(rough, { from: 10, to: 20 }, 1000)).toBe(false);
    expect(suffices(rough, { from: 0, to: 300 }, 100)).toBe(true);
    expect(suffices(exact, { from: 10, to: 301 }, 100)).toBe(false);
  });

  it("add up to the same in any form", () => {
    const next = random();
    const many: Span[] = [];
    for (let at = 0; at < 1e6;) {
      const to = at + 1 + Math.floor(next() * 400);
      if (next() > 0.1) many.push([at, to, Math.floor(next() * 5), 0, 0]);
      at = to;
    }
    const row: RowSpans = { id: "g1", spans: many };
    const whole = { from: 0, to: 1e6 };
    const total = (r: RowSpans) =>
      [...sums(laneData(r, 0, 1e6, 1), { from: -1, to: 2e6 })]
        .sort((a, b) => a[0] - b[0])
        .map(([, v]) => Math.round(v));
    const want = total(row);
    for (const width of [1, 7, 100, 999]) {
      const is = thin(row, whole, width);
      expect(is.parts?.length).toBeGreaterThan(0);
      expect(is.parts?.length).toBeLessThanOrEqual(2 * width + 1);
      expect(total(is)).toEqual(want);
      expect(total(thin(is, whole, 5))).toEqual(want);
      is.parts?.forEach((p: Part, i) => expect(i === 0 || p[0] >= (is.parts?.[i - 1][1] ?? 0)).toBe(true));
    }
    expect(total(thin(row, whole, 7, (s) => s[2] + 5))).toEqual(want);
    const shifted = thin(row, whole, 7, (s) => s[2] + 5).parts ?? [];
    expect(shifted.every((p) => p.every((v, k) => k < 2 || k % 2 === 1 || v >= 5))).toBe(true);
    expect(thin(row, { from: 1000, to: 2000 }, 100).spans?.every((s) => s[1] > 1000 && s[0] < 2000)).toBe(true);
  });
});

describe("labels", () => {
  it("of overlapping spans do not overlap", () => {
    const label = (from: number, to: number) => ({ from, to, text: "GC mark assist", pale: false });
    // Spans within others, as of assists on several processors.
    const all = apart([label(0, 400), label(50, 300), label(60, 90), label(200, 260), label(500, 600)]);
    expect(all.map((l) => [l.from, l.to])).toEqual([
      [0, 50],
      [60, 90],
      [200, 260],
      [500, 600],
    ]);
    all.forEach((l, i) => expect(i === 0 || l.from >= all[i - 1].to).toBe(true));
  });
});

describe("states and code", () => {
  it("have colors", () => {
    expect(colorOf({ name: "sync", group: "waiting" })).toBe("lock");
    expect(colorOf({ name: "chan receive", group: "waiting" })).toBe("channel");
    expect(colorOf({ name: "GC assist", group: "gc" })).toBe("gc");
    expect(colorOf({ name: "what comes next", group: "waiting" })).toBe("waiting");
    expect(colorOf({ name: "GC background sweeper wait", group: "gc" })).toBe("waiting");
    expect(colorOf(undefined)).toBe("unknown");
  });

  it("tell own code", () => {
    const f = (name: string, file = "/src/x.go") => ({ function: name, file, line: 1 });
    expect(frameKind(f("main.work"))).toBe("own");
    expect(frameKind(f("net/http.(*conn).serve"))).toBe("std");
    expect(frameKind(f("runtime.gopark"))).toBe("std");
    expect(frameKind(f("example.com/shop/cart.(*Cart).Add"))).toBe("own");
    expect(frameKind(f("example.com/dep.F", "/go/pkg/mod/example.com/dep@v1.0.0/f.go"))).toBe("dep");
    // A module without a dot looks like the standard library, but not to Go, which knows the main module.
    expect(frameKind(f("shop/cart.Add"))).toBe("std");
    expect(frameKind({ ...f("shop/cart.Add"), kind: "own" })).toBe("own");
    expect(frameKind({ ...f("example.com/shop.F"), kind: "dep" })).toBe("dep");
    expect(ownFrame([f("runtime.gopark"), f("sync.(*Mutex).Lock"), f("main.work"), f("main.main")])?.function).toBe(
      "main.work",
    );
    expect(ownFrame([f("runtime.gopark"), f("net.(*conn).Read")])?.function).toBe("net.(*conn).Read");
    expect(ownFrame([])).toBe(undefined);
  });

  it("are shown as text", () => {
    expect(clean("a\u001b[31mb\u202ec\n")).toBe("a\ufffd[31mb\ufffdc\ufffd");
    expect(clean("\u200b\u2028\u2060\ufeff\u00ad\u009b")).toBe("\ufffd".repeat(6));
    expect(clean("größe")).toBe("größe");
  });
});

describe("links", () => {
  it("reproduce what is seen", () => {
    const s = {
      window: { from: 1000, to: 2_000_000 },
      pins: ["g1", "g99", "p3"],
      color: "heat" as const,
      more: ["g7"],
      selected: { id: "g7", at: 1234 },
      area: { from: 10, to: 99, ids: ["g7", "p1"], all: 300 },
      shade: false,
      flows: true,
      tab: "wait" as const,
      sections: {
        ...initialTimeline.sections,
        goroutine: { open: true, query: "a&b=(c)", order: "long" as const, skip: 40, all: true, here: true },
        request: { ...initialTimeline.sections.request, open: false, here: false },
      },
    };
    expect(fromTimelineHash(`#${timelineHash(s)}`)).toEqual(s);
    expect(timelineHash(initialTimeline)).toBe("");
    expect(fromTimelineHash("")).toEqual(initialTimeline);
  });

  it("of others do no harm", () => {
    for (const hash of [
      "#t=9-3",
      "#t=x",
      "#pin=x1,g1x,%00",
      "#sel=g1@x&more=p1&area=5-1,g1",
      "#area=1-5&sel=x9",
      "#goroutine.skip=-4&goroutine.order=worst",
      "#%E0%A4%A=1",
      "#color=red",
    ]) {
      expect(fromTimelineHash(hash)).toEqual(initialTimeline);
    }
    expect(fromTimelineHash(`#pin=${Array.from({ length: 500 }, (_, i) => `g${i}`).join(",")}`).pins.length).toBe(50);
  });
});
