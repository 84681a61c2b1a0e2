/** Lines of a chart over time. No DOM. */

/** Values over time, one for each step; null where nothing was measured. */
export type Column = readonly (number | null)[];

/** Adds columns up, so that each is drawn on top of the one before it. */
export function stacked(columns: readonly Column[]): (number | null)[][] {
  const out: (number | null)[][] = [];
  for (const c of columns) {
    const below = out.at(-1);
    out.push(c.map((v, i) => (v === null ? null : v + (below?.[i] ?? 0))));
  }
  return out;
}

/** The values of lines as parts of the totals; null where the total is 0, that is, without profiles. */
export function parts(values: readonly number[], totals: readonly number[], share: boolean): (number | null)[] {
  return totals.map((total, i) => (total === 0 ? null : share ? (values[i] ?? 0) / total : (values[i] ?? 0)));
}

/** The sum of whole numbers. */
export function sum(values: readonly number[]): number {
  return values.reduce((n, v) => n + v, 0);
}
