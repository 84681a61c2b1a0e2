import { describe, expect, it } from "vitest";
import { parts, stacked, sum } from "./layers.ts";
import {
  aligned,
  before,
  fieldTime,
  goDuration,
  iso,
  justAfter,
  length,
  moved,
  profiledShare,
  rangeOf,
  stepFor,
  timeTicks,
  wider,
} from "./storetime.ts";

const hour = 3_600_000;
const now = Date.parse("2026-05-04T12:00:00Z");

describe("ranges of time", () => {
  it("come from an address", () => {
    expect(rangeOf("6h", "", "", now)).toEqual({ from: now - 6 * hour, to: now });
    expect(rangeOf("", "", "", now)).toEqual({ from: now - 24 * hour, to: now });
    expect(rangeOf("nonsense", "x", "y", now)).toEqual({ from: now - 24 * hour, to: now });
    const fixed = rangeOf("6h", "2026-05-01T00:00:00Z", "2026-05-02T00:00:00Z", now);
    expect(fixed).toEqual({ from: Date.parse("2026-05-01"), to: Date.parse("2026-05-02") });
    expect(rangeOf("1h", "2026-05-02T00:00:00Z", "2026-05-01T00:00:00Z", now).to).toBe(now);
  });
  it("have at most so many steps", () => {
    for (const span of [1, 1000, hour, 6 * hour, 24 * hour, 7 * 24 * hour, 365 * 24 * hour, 30 * 365 * 24 * hour]) {
      const r = { from: now - span, to: now };
      const step = stepFor(r, 96);
      const wide = aligned(r, step);
      expect(span / step).toBeLessThanOrEqual(96);
      expect((wide.to - wide.from) / step).toBeLessThanOrEqual(98);
      expect(wide.from).toBeLessThanOrEqual(r.from);
      expect(wide.to).toBeGreaterThanOrEqual(r.to);
      expect(wide.from % step).toBe(0);
    }
    expect(goDuration(stepFor({ from: now - 24 * hour, to: now }, 96))).toBe("900s");
  });
  it("move and grow", () => {
    const r = { from: now - hour, to: now };
    expect(before(r)).toEqual({ from: now - 2 * hour, to: now - hour });
    expect(before(r, 24 * hour).to).toBe(now - 24 * hour);
    expect(moved(r, 0.5)).toEqual({ from: now - hour / 2, to: now + hour / 2 });
    expect(wider(r, now)).toEqual({ from: now - 2 * hour, to: now });
    const past = { from: now - 10 * hour, to: now - 8 * hour };
    expect(wider(past, now)).toEqual({ from: now - 11 * hour, to: now - 7 * hour });
  });
  it("have round ticks", () => {
    const ticks = timeTicks({ from: now - 24 * hour, to: now }, 8);
    expect(ticks.length).toBeGreaterThan(3);
    expect(ticks.length).toBeLessThan(10);
    for (const t of ticks) expect(new Date(t).getMinutes()).toBe(0);
  });
  it("are written", () => {
    expect(iso(now)).toBe("2026-05-04T12:00:00Z");
    expect(iso(now + 5)).toBe("2026-05-04T12:00:00.005Z");
    expect(Date.parse(fieldTime(now))).toBe(now);
    expect([59_000, 180_000, 3 * hour, 48 * hour].map(length)).toEqual(["59s", "3m", "3h", "2d"]);
  });
  it("end after one time", () => {
    expect(justAfter("2026-05-04T12:00:00Z")).toBe("2026-05-04T12:00:00.000000001Z");
    expect(justAfter("2026-05-04T12:00:00.5Z")).toBe("2026-05-04T12:00:00.500000001Z");
    expect(justAfter("2026-05-04T12:00:00.123456789+02:00")).toBe("2026-05-04T12:00:00.12345679+02:00");
    expect(justAfter("2026-05-04T12:00:00.999999999Z")).toBe("2026-05-04T12:00:01Z");
  });
  it("are profiled in part", () => {
    expect(profiledShare(6e9, "2026-05-04T12:00:00Z", "2026-05-04T12:01:00Z")).toBeCloseTo(0.1);
    expect(profiledShare(0, "2026-05-04T12:00:00Z", "2026-05-04T12:01:00Z")).toBeNull();
    expect(profiledShare(6e9, "", "")).toBeNull();
  });
});

describe("layers", () => {
  it("are added up, with gaps", () => {
    expect(
      stacked([
        [1, 2, null],
        [3, 4, null],
      ]),
    ).toEqual([
      [1, 2, null],
      [4, 6, null],
    ]);
    expect(parts([1, 0, 5], [4, 0, 10], true)).toEqual([0.25, null, 0.5]);
    expect(parts([1], [4, 8], false)).toEqual([1, 0]);
    expect(sum([1, 2, 3])).toBe(6);
  });
});
