import type { RowSpans, Stay, StayAnswer, StayBucket } from "../api/timeline.ts";
import { overlapping } from "./lane.ts";
import type { Stretch } from "./timescale.ts";

/** The number of buckets from a length to twice that, as the server has them. */
const perDouble = 2;

/** How long the spans of a state are, -1 for all, in rows of which the spans are known. */
export function staysOf(
  rows: readonly RowSpans[],
  w: Stretch,
  state: number,
  limit: number,
  partial: number,
): StayAnswer {
  const buckets = new Map<number, StayBucket>();
  const longest: Stay[] = [];
  let count = 0;
  let total = 0;
  for (const r of rows) {
    if (r.parts && r.parts.length > 0) partial = 1;
    overlapping(r.spans ?? [], Infinity, w, ([from, to, is, stack]) => {
      if (state >= 0 && is !== state) return;
      count++;
      total += to - from;
      const n = Math.floor(Math.log2(Math.max(to - from, 1)) * perDouble);
      const b = buckets.get(n) ?? {
        from: Math.round(2 ** (n / perDouble)),
        to: Math.round(2 ** ((n + 1) / perDouble)),
        count: 0,
        time: 0,
      };
      buckets.set(n, { ...b, count: b.count + 1, time: b.time + to - from });
      longest.push({ id: r.id, from, to, state: is, stack });
    });
  }
  longest.sort((a, b) => b.to - b.from - (a.to - a.from) || a.from - b.from);
  return {
    count,
    total,
    buckets: [...buckets.values()].sort((a, b) => a.from - b.from),
    longest: longest.slice(0, limit),
    partial,
  };
}
