/** Computations of the live view. No DOM. */

/** The points of a line along the last n values, from 0 to the largest, as SVG has them; the newest is at the right. */
export function curve(values: readonly number[], n: number, width: number, height: number): string {
  const shown = values.slice(-n);
  const most = Math.max(1, ...shown);
  const step = n > 1 ? (width - 2) / (n - 1) : 0;
  const begin = width - 1 - step * (shown.length - 1);
  const y = (v: number) => height - 2 - (Math.max(0, v) / most) * (height - 4);
  return shown.map((v, i) => `${(begin + i * step).toFixed(1)},${y(v).toFixed(1)}`).join(" ");
}

/** The last value; 0 without one. */
export function lastOf(values: readonly number[] | null | undefined): number {
  return values?.at(-1) ?? 0;
}

/** A value of a window as a rate per second. */
export function perSecond(value: number, lengthNs: number): number {
  return lengthNs > 0 ? Math.round((value / lengthNs) * 1e9) : 0;
}
