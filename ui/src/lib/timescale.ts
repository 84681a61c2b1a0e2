import { quantity } from "./format.ts";

/** A part of a trace, in nanoseconds since its start. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** The shortest window, in nanoseconds, about the time between events. */
export const leastWindow = 200;

/** A window of the same length, at most that of the extent, moved into it. */
export function within(w: Stretch, extent: Stretch): Stretch {
  const all = Math.max(extent.to - extent.from, 1);
  const length = Math.min(Math.max(w.to - w.from, Math.min(leastWindow, all)), all);
  const middle = (w.from + w.to) / 2;
  const from = Math.min(Math.max(middle - length / 2, extent.from), extent.to - length);
  return { from, to: from + length };
}

/** A window that shows `factor` times as much, with one time staying where it is. */
export function zoomAt(w: Stretch, at: number, factor: number, extent: Stretch): Stretch {
  const all = Math.max(extent.to - extent.from, 1);
  const length = Math.min(Math.max((w.to - w.from) * factor, Math.min(leastWindow, all)), all);
  const part = (at - w.from) / (w.to - w.from);
  const from = at - part * length;
  return within({ from, to: from + length }, extent);
}

export function pan(w: Stretch, by: number, extent: Stretch): Stretch {
  return within({ from: w.from + by, to: w.to + by }, extent);
}

/** A stretch with a margin on both sides, as far as there is room, so that its ends are visible. */
export function around(s: Stretch, extent: Stretch, room = 0.1): Stretch {
  const by = Math.max((s.to - s.from) * room, leastWindow / 4);
  const [from, to] = [Math.max(s.from - by, extent.from), Math.min(s.to + by, extent.to)];
  return within({ from, to }, extent);
}

export interface Ticks {
  readonly values: readonly number[];
  readonly labels: readonly string[];
  /** The time that labels are relative to, where full times would be too long; else "". */
  readonly base: string;
}

/** Round times of a window: at most `count`, in one unit. */
export function timeTicks(w: Stretch, count: number): Ticks {
  const raw = (w.to - w.from) / Math.max(count, 1);
  const ten = 10 ** Math.floor(Math.log10(Math.max(raw, 1)));
  const step = [1, 2, 5, 10].map((m) => m * ten).find((s) => s >= raw * 0.999) as number;
  const unit = step >= 1e9 ? 1e9 : step >= 1e6 ? 1e6 : step >= 1e3 ? 1e3 : 1;
  const name = unit === 1e9 ? "s" : unit === 1e6 ? "ms" : unit === 1e3 ? "us" : "ns";
  const first = Math.ceil(w.from / step);
  const values: number[] = [];
  for (let n = first; n * step <= w.to && values.length <= count + 1; n++) values.push(n * step);
  const round = step * 1000;
  const base = w.to / unit >= 100_000 ? Math.floor(w.from / round) * round : 0;
  const labels = values.map((v) => `${base > 0 ? "+" : ""}${Number(((v - base) / unit).toFixed(3))}${name}`);
  return { values, labels, base: base > 0 ? exactTime(base) : "" };
}

/** A time in seconds, with all its digits: "1.234567s". */
export function exactTime(ns: number): string {
  return `${(Math.round(ns) / 1e9).toFixed(9).replace(/\.?0+$/, "")}s`;
}

/** A length in the unit that suits it: "1.25ms". */
export function duration(ns: number): string {
  return quantity(Math.round(ns), "nanoseconds");
}
