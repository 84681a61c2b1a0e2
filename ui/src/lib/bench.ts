/** Computations of the benchmark pages: ranges, ticks, orders, filters. No DOM. */
import type { BenchPageCell, BenchPageChange, BenchPageRow } from "../api/bench.ts";

export interface Range {
  readonly low: number;
  readonly high: number;
}

/** Quartiles of sorted values, by nearest rank. */
function quartiles(sorted: readonly number[]): [number, number] {
  const at = (q: number) => sorted[Math.round((sorted.length - 1) * q)] as number;
  return [at(0.25), at(0.75)];
}

/** The values without outliers more than three interquartile ranges outside the quartiles. */
function body(values: readonly number[]): Range | null {
  if (values.length === 0) return null;
  const sorted = [...values].sort((a, b) => a - b);
  const [q1, q3] = quartiles(sorted);
  const reach = 3 * (q3 - q1);
  if (reach === 0) return { low: sorted[0] as number, high: sorted[sorted.length - 1] as number };
  const inside = sorted.filter((v) => v >= q1 - reach && v <= q3 + reach);
  return { low: inside[0] as number, high: inside[inside.length - 1] as number };
}

/**
 * The axis of a benchmark: all values but outliers, with a margin. It is never
 * narrower than 2% of the values, so that a tiny difference looks tiny.
 */
export function axisRange(
  cells: readonly Pick<BenchPageCell, "values" | "center" | "bounded" | "low" | "high">[],
): Range {
  let low = Infinity;
  let high = -Infinity;
  for (const c of cells) {
    const b = body(c.values) ?? { low: c.center, high: c.center };
    low = Math.min(low, b.low, c.center, c.bounded ? c.low : Infinity);
    high = Math.max(high, b.high, c.center, c.bounded ? c.high : -Infinity);
  }
  if (low > high) return { low: 0, high: 1 };
  const middle = (low + high) / 2;
  const least = 0.02 * Math.abs(middle) || 1e-12 * Math.abs(high) || 2;
  const half = (Math.max(high - low, least) / 2) * 1.08;
  const from = middle - half;
  return { low: low >= 0 ? Math.max(0, from) : from, high: middle + half };
}

/** Round numbers within a range, at most n of them, in steps of 1, 2 or 5. */
export function ticks(r: Range, n: number): number[] {
  const width = r.high - r.low;
  if (!(width > 0) || !Number.isFinite(width) || n < 1) return [];
  const rough = width / n;
  const power = 10 ** Math.floor(Math.log10(rough));
  if (!(power > 0)) return [];
  const step = power * ([1, 2, 5, 10].find((f) => width / (f * power) <= n) ?? 10);
  const first = Math.ceil(r.low / step - 1e-9);
  const last = Math.floor(r.high / step + 1e-9);
  // Multiples, because sums would drift.
  return last - first < 100
    ? Array.from({ length: last - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)))
    : [];
}

/** The running median of the last values, which shows drift. */
export function runningMedian(values: readonly number[], width: number): number[] {
  const half = Math.floor(width / 2);
  return values.map((_, i) => {
    const part = values.slice(Math.max(0, i - half), i + half + 1).sort((a, b) => a - b);
    const at = (part.length - 1) / 2;
    return ((part[Math.floor(at)] as number) + (part[Math.ceil(at)] as number)) / 2;
  });
}

export type Order = "change" | "delta" | "name" | "file";
export type Show = "all" | "changed" | "worse" | "better";

/** The state that a link to the page reproduces. */
export interface BenchState {
  readonly query: string;
  readonly unit: string; // "" is all
  readonly show: Show;
  readonly order: Order;
}

export const benchStart: BenchState = { query: "", unit: "", show: "all", order: "change" };

export function benchHash(s: BenchState): string {
  const p = new URLSearchParams();
  if (s.query) p.set("q", s.query);
  if (s.unit) p.set("unit", s.unit);
  if (s.show !== "all") p.set("show", s.show);
  if (s.order !== "change") p.set("order", s.order);
  return p.toString();
}

/** Parses a URL fragment; invalid parts get their defaults. */
export function benchState(hash: string): BenchState {
  const p = new URLSearchParams(hash.replace(/^#/, ""));
  const one = <T extends string>(name: string, of: readonly T[], otherwise: T): T =>
    of.find((v) => v === p.get(name)) ?? otherwise;
  return {
    query: (p.get("q") ?? "").slice(0, 1000),
    unit: (p.get("unit") ?? "").slice(0, 1000),
    show: one("show", ["all", "changed", "worse", "better"] as const, "all"),
    order: one("order", ["change", "delta", "name", "file"] as const, "change"),
  };
}

const weight: Record<string, number> = { worse: 4, better: 4, changed: 4, chance: 2, undecided: 1 };

/** The most important change of a row: significant ones first, then the largest. */
export function mainChange(row: Pick<BenchPageRow, "cells">): BenchPageChange | null {
  let best: BenchPageChange | null = null;
  for (const c of row.cells.flatMap((cell) => cell.changes)) {
    if (!best || rank(c) > rank(best) || (rank(c) === rank(best) && size(c) > size(best))) best = c;
  }
  return best;
}

function rank(c: BenchPageChange): number {
  return weight[c.verdict] ?? 0;
}

/** The size of a change; halving counts as much as doubling. */
function size(c: BenchPageChange): number {
  return c.finite && c.delta > -1 ? Math.abs(Math.log1p(c.delta)) : Infinity;
}

/** Reports whether a name contains all words of a query, ignoring case. */
export function matches(name: string, query: string): boolean {
  const low = name.toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => low.includes(word));
}

/** The rows to show for a state, in its order. */
export function arrange(rows: readonly BenchPageRow[], s: BenchState): BenchPageRow[] {
  const shown = rows
    .map((row) => ({ row, change: mainChange(row) }))
    .filter(({ row }) => matches(row.name, s.query))
    .filter(
      ({ row }) =>
        s.show === "all" ||
        row.cells.some((c) => c.changes.some((d) => (s.show === "changed" ? rank(d) === 4 : d.verdict === s.show))),
    );
  if (s.order === "name") shown.sort((a, b) => (a.row.name < b.row.name ? -1 : a.row.name > b.row.name ? 1 : 0));
  if (s.order === "delta") shown.sort((a, b) => signed(b.change) - signed(a.change) || 0);
  if (s.order === "change") {
    shown.sort(
      (a, b) =>
        (b.change ? rank(b.change) : -1) - (a.change ? rank(a.change) : -1) ||
        (a.change && b.change ? compare(size(b.change), size(a.change)) : 0),
    );
  }
  return shown.map(({ row }) => row);
}

function signed(c: BenchPageChange | null): number {
  return !c ? -1e300 : c.finite ? c.delta : 1e300;
}

function compare(a: number, b: number): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/** A p value: "0.012", "<0.001". */
export function probability(p: number): string {
  return p > 0 && p < 0.001 ? "<0.001" : p.toFixed(3);
}

/** A difference as a share in percent, with enough digits to distinguish the ticks of an axis: "+1.5%". */
export function percentChange(v: number, ticks: readonly number[] = []): string {
  const step = ticks.length > 1 ? Math.abs((ticks[1] as number) - (ticks[0] as number)) * 100 : 0.01;
  const places = Math.min(Math.max(0, -Math.floor(Math.log10(step) + 1e-9)), 6);
  const text = (v * 100).toFixed(places);
  return Number(text) === 0 ? "0%" : `${v > 0 ? "+" : ""}${text}%`;
}
