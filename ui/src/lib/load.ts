/** Numbers of the load page's axes and tables. No DOM. */
import type { LoadSecond } from "../api/load.ts";

/** A point of a percentile axis in words: 100 (one in a hundred above) is "99%". */
export function percentileLabel(inverse: number): string {
  if (!(inverse > 1)) return "0%";
  const q = 100 * (1 - 1 / inverse);
  const digits = Math.max(0, Math.ceil(Math.log10(inverse) - 2 - 1e-9));
  return `${q.toFixed(Math.min(digits, 8))}%`;
}

/** A duration given in milliseconds, in the unit that suits it. */
export function ms(v: number | null | undefined): string {
  if (v === null || v === undefined || Number.isNaN(v)) return "–";
  if (v === 0) return "0";
  if (Math.abs(v) >= 1000) return `${trim(v / 1000)}s`;
  if (Math.abs(v) >= 1) return `${trim(v)}ms`;
  return `${trim(v * 1000)}us`;
}

/** A number a second. */
export function perSecond(v: number | null | undefined): string {
  if (v === null || v === undefined || Number.isNaN(v)) return "–";
  return `${v < 100 && !Number.isInteger(v) ? v.toFixed(1) : Math.round(v)}/s`;
}

function trim(v: number): string {
  return v.toFixed(v >= 100 ? 0 : v >= 10 ? 1 : 2).replace(/\.0+$/, "");
}

/** Columns for a chart: the union of all x, ordered, and for each series its y or null. */
export function align(series: readonly (readonly (readonly [x: number, y: number])[])[]): (number | null)[][] {
  const xs = [...new Set(series.flatMap((s) => s.map(([x]) => x)))].sort((a, b) => a - b);
  const at = new Map(xs.map((x, i) => [x, i]));
  return [
    xs,
    ...series.map((s) => {
      const ys: (number | null)[] = xs.map(() => null);
      for (const [x, y] of s) ys[at.get(x) as number] = y;
      return ys;
    }),
  ];
}

/** At most n of the rows, the first and the last among them, evenly spread. */
export function thin<T>(rows: readonly T[], n: number): T[] {
  if (rows.length <= n) return [...rows];
  const step = (rows.length - 1) / (n - 1);
  return Array.from({ length: n }, (_, i) => rows[Math.round(i * step)] as T);
}

/**
 * The seconds to draw: a last one that is shorter is left out, since few answers make its figures and a rate of it
 * looks like a drop or a spike. The only second is drawn in any case.
 */
export function whole(all: readonly LoadSecond[]): LoadSecond[] {
  return all.length > 1 && all[all.length - 1]?.partial ? all.slice(0, -1) : [...all];
}
