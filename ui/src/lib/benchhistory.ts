/** Computations of the page of benchmarks along commits. No DOM. */
import type { HistoryCommit, HistoryDoc, HistoryPoint, HistorySeries } from "../api/benchhistory.ts";
import { matches } from "./bench.ts";

/** The state that a link to the page reproduces. */
export interface HistoryState {
  readonly query: string;
  readonly unit: string; // "" is all
  readonly changed: boolean; // only series with changes
  readonly commit: string; // the commit whose results are shown; "" is none
  readonly base: string; // the commit that it is compared with; "" is the one before
}

export const historyStart: HistoryState = { query: "", unit: "", changed: false, commit: "", base: "" };

export function historyHash(s: HistoryState): string {
  const p = new URLSearchParams();
  if (s.query) p.set("q", s.query);
  if (s.unit) p.set("unit", s.unit);
  if (s.changed) p.set("show", "changed");
  if (s.commit) p.set("commit", s.commit);
  if (s.commit && s.base) p.set("base", s.base);
  return p.toString();
}

/** Parses a URL fragment; invalid parts get their defaults. */
export function historyState(hash: string): HistoryState {
  const p = new URLSearchParams(hash.replace(/^#/, ""));
  return {
    query: (p.get("q") ?? "").slice(0, 1000),
    unit: (p.get("unit") ?? "").slice(0, 1000),
    changed: p.get("show") === "changed",
    commit: (p.get("commit") ?? "").slice(0, 100),
    base: (p.get("base") ?? "").slice(0, 100),
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

/** What one series says about a commit, and about an earlier one. */
export interface CommitRow {
  readonly series: HistorySeries;
  readonly before: HistoryPoint | null;
  readonly after: HistoryPoint | null;
  /** The relative change, 0.01 for 1%; null if it is unknown. */
  readonly change: number | null;
  /** better, worse or changed if the intervals do not overlap; "same" if they do; "" if that is unknown. */
  readonly verdict: "better" | "worse" | "changed" | "same" | "";
}

/** The results of a commit next to those of a base, by index; the largest differences first. */
export function compareCommits(doc: HistoryDoc, at: number, base: number): CommitRow[] {
  const rows: CommitRow[] = [];
  for (const series of doc.series) {
    const of = (commit: number) => series.points.find((p) => p.commit === commit) ?? null;
    const [before, after] = [of(base), of(at)];
    if (!before && !after) continue;
    const change = before && after && before.center !== 0 ? after.center / before.center - 1 : null;
    rows.push({ series, before, after, change, verdict: verdictOf(series, before, after) });
  }
  const weight = (r: CommitRow) => (r.verdict === "same" || r.verdict === "" ? 0 : Math.abs(r.change ?? 0) + 1e-9);
  return rows.sort((a, b) => weight(b) - weight(a));
}

function verdictOf(s: HistorySeries, before: HistoryPoint | null, after: HistoryPoint | null): CommitRow["verdict"] {
  if (!before || !after) return "";
  const exact = before.center === after.center;
  if (!before.bounded || !after.bounded) return exact ? "same" : "";
  if (before.low <= after.high && after.low <= before.high) return "same";
  if (s.better === "") return "changed";
  return after.center < before.center === (s.better === "lower") ? "better" : "worse";
}

/** The commit that a link names by its hash, or by the start of only one hash; -1 if there is none. */
export function findCommit(commits: readonly HistoryCommit[], hash: string): number {
  if (hash === "") return -1;
  const exact = commits.findIndex((c) => c.hash === hash || c.short === hash);
  if (exact >= 0) return exact;
  const some = commits.flatMap((c, i) => (c.hash.startsWith(hash) ? [i] : []));
  return some.length === 1 ? some[0]! : -1;
}
