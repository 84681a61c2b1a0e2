/** Computations of the page of benchmarks along commits. No DOM. */
import type { HistorySeries } from "../api/benchhistory.ts";
import { matches } from "./bench.ts";

/** The state that a link to the page reproduces. */
export interface HistoryState {
  readonly query: string;
  readonly unit: string; // "" is all
  readonly changed: boolean; // only series with changes
}

export const historyStart: HistoryState = { query: "", unit: "", changed: false };

export function historyHash(s: HistoryState): string {
  const p = new URLSearchParams();
  if (s.query) p.set("q", s.query);
  if (s.unit) p.set("unit", s.unit);
  if (s.changed) p.set("show", "changed");
  return p.toString();
}

/** Parses a URL fragment; invalid parts get their defaults. */
export function historyState(hash: string): HistoryState {
  const p = new URLSearchParams(hash.replace(/^#/, ""));
  return {
    query: (p.get("q") ?? "").slice(0, 1000),
    unit: (p.get("unit") ?? "").slice(0, 1000),
    changed: p.get("show") === "changed",
  };
}

/** The series to show for a state, the latest change first. */
export function chosen(series: readonly HistorySeries[], s: HistoryState): HistorySeries[] {
  const last = (one: HistorySeries) => one.changes[one.changes.length - 1]?.at ?? -1;
  return series
    .filter(
      (one) =>
        (s.unit === "" || one.unit === s.unit) && (!s.changed || one.changes.length > 0) && matches(one.name, s.query),
    )
    .sort((a, b) => last(b) - last(a));
}

/** Columns of a chart along all commits from the series' first to its last: x, low, high, center, level. */
export function columns(s: HistorySeries): (number | null)[][] {
  const first = s.points[0]?.commit ?? 0;
  const last = s.points[s.points.length - 1]?.commit ?? 0;
  const xs = Array.from({ length: last - first + 1 }, (_, i) => first + i);
  const at = new Map(s.points.map((p) => [p.commit, p]));
  const low = xs.map((x) => (at.get(x)?.bounded ? (at.get(x)?.low ?? null) : (at.get(x)?.center ?? null)));
  const high = xs.map((x) => (at.get(x)?.bounded ? (at.get(x)?.high ?? null) : (at.get(x)?.center ?? null)));
  return [xs, low, high, xs.map((x) => at.get(x)?.center ?? null), xs.map((x) => level(s, x))];
}

/** The median of the commits between two changes around a commit; null without changes. */
function level(s: HistorySeries, x: number): number | null {
  let value: number | null = s.changes[0]?.from ?? null;
  for (const c of s.changes) if (x >= c.at) value = c.to;
  return s.changes.some((c) => x > c.after && x < c.at) ? null : value;
}

/** The start of the y axis: half the range of the values below them, or zero if that is near. */
export function axisStart(min: number, max: number): number {
  const least = Math.abs(max) * 0.05;
  const from = min - Math.max(max - min, least) * 0.5;
  return min >= 0 && from < max * 0.3 ? 0 : from;
}
