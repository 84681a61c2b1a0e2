import type { Part, RowSpans, Span } from "../api/timeline.ts";
import type { Stretch } from "./timescale.ts";

/** The data of a row: spans, or parts where there are too many spans, and the requested window. */
export interface LaneData extends Stretch {
  readonly width: number;
  readonly spans: readonly Span[];
  readonly parts: readonly Part[];
  /** How far before a window a span that overlaps it may begin; 0 where spans do not overlap. */
  readonly reach: number;
}

export function laneData(row: RowSpans, from: number, to: number, width: number): LaneData {
  const spans = row.spans ?? [];
  let reach = 0;
  if (spans.some((s, i) => i > 0 && s[0] < spans[i - 1][1])) {
    spans.sort((a, b) => a[0] - b[0]);
    reach = spans.reduce((most, s) => Math.max(most, s[1] - s[0]), 0);
  }
  return { from, to, width, spans, parts: row.parts ?? [], reach };
}

/** Reports whether the data is fine enough for a window of the given pixels. */
export function suffices(d: LaneData, w: Stretch, pixels: number): boolean {
  if (d.from > Math.ceil(w.from) || d.to < Math.floor(w.to)) return false;
  // Spans are exact, parts as fine as requested.
  return d.parts.length === 0 || (d.to - d.from) / d.width <= (1.4 * (w.to - w.from)) / pixels;
}

/** The first of ascending stretches that ends after a time. */
export function firstAfter(list: readonly (Span | Part)[], time: number): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const mid = (low + high) >> 1;
    if (list[mid][1] > time) high = mid;
    else low = mid + 1;
  }
  return low;
}

/** Calls `see` with the spans or parts of a lane that overlap a stretch, in order. */
export function overlapping<T extends Span | Part>(
  list: readonly T[],
  reach: number,
  s: Stretch,
  see: (one: T, index: number) => void,
): void {
  let first = firstAfter(list, s.from);
  if (reach > 0) for (first = 0; first < list.length && list[first][0] < s.from - reach;) first++;
  for (let i = first; i < list.length && list[i][0] < s.to; i++) if (list[i][1] > s.from) see(list[i], i);
}

/**
 * The span or part at a time or, if there is none, the nearest one less than `slack`
 * away; of several within a pixel the longest. -1 is none.
 */
export function nearest(list: readonly (Span | Part)[], reach: number, time: number, slack: number): number {
  let best = -1;
  let length = -1;
  let exact = -1;
  overlapping(list, reach, { from: time - slack, to: time + slack }, (s, i) => {
    if (s[0] <= time && time < s[1] && s[1] - s[0] >= 2 * slack) exact = i;
    if (s[1] - s[0] > length) [best, length] = [i, s[1] - s[0]];
  });
  return exact >= 0 ? exact : best;
}

/** The state of a part that is in one state for all of its time, or -1. */
export function onlyState(p: Part): number {
  return p.length === 4 && p[3] >= 0.99 * (p[1] - p[0]) ? p[2] : -1;
}

/**
 * The parts around one that are in the same single state without a gap: a long span is many parts where its row has
 * more spans than fit.
 */
export function stretchOf(parts: readonly Part[], at: number): Stretch {
  const state = onlyState(parts[at]);
  let [first, last] = [at, at];
  while (state >= 0 && first > 0 && onlyState(parts[first - 1]) === state && parts[first - 1][1] >= parts[first][0])
    first--;
  while (
    state >= 0 &&
    last + 1 < parts.length &&
    onlyState(parts[last + 1]) === state &&
    parts[last + 1][0] <= parts[last][1]
  )
    last++;
  return { from: parts[first][0], to: parts[last][1] };
}

/** The time in each state within a stretch: state to time. */
export function sums(d: LaneData, s: Stretch): Map<number, number> {
  const out = new Map<number, number>();
  const add = (state: number, time: number) => out.set(state, (out.get(state) ?? 0) + time);
  overlapping(d.spans, d.reach, s, ([from, to, state]) => add(state, Math.min(to, s.to) - Math.max(from, s.from)));
  overlapping(d.parts, 0, s, (p) => {
    const part = (Math.min(p[1], s.to) - Math.max(p[0], s.from)) / Math.max(p[1] - p[0], 1);
    for (let k = 2; k + 1 < p.length; k += 2) add(p[k], p[k + 1] * part);
  });
  return out;
}

/** The share of the time that a row is in some state, for each of `width` equal parts of a window. */
export function busyShares(d: LaneData, w: Stretch, width: number): Float32Array {
  const out = new Float32Array(Math.max(Math.ceil(width), 1));
  const step = (w.to - w.from) / out.length;
  const add = (from: number, to: number, share: number) => {
    const [a, b] = [Math.max(from, w.from), Math.min(to, w.to)];
    for (let i = Math.floor((a - w.from) / step); i < out.length && w.from + i * step < b; i++) {
      const start = w.from + i * step;
      out[i] = (out[i] ?? 0) + ((Math.min(b, start + step) - Math.max(a, start)) / step) * share;
    }
  };
  overlapping(d.spans, d.reach, w, (s) => add(s[0], s[1], 1));
  overlapping(d.parts, 0, w, (p) => {
    let sum = 0;
    for (let k = 3; k < p.length; k += 2) sum += p[k] ?? 0;
    add(p[0], p[1], sum / Math.max(p[1] - p[0], 1));
  });
  return out;
}

/**
 * A row's answer for a window, from a larger one: as the server makes it from an index. Parts have the times of the
 * states that stateOf returns for spans.
 */
export function thin(row: RowSpans, w: Stretch, width: number, stateOf = (s: Span): number => s[2]): RowSpans {
  const spans = row.spans ?? [];
  const parts = row.parts ?? [];
  const mySpans: Span[] = [];
  const myParts: Part[] = [];
  overlapping(spans, Infinity, w, (s) => mySpans.push(s));
  overlapping(parts, 0, w, (p) => myParts.push(p));
  if (myParts.length === 0 && mySpans.length <= 2 * width) return { id: row.id, spans: mySpans };
  const step = Math.max((w.to - w.from) / width, 1);
  const out: Part[] = [];
  let now: Part | null = null;
  let until = 0;
  const put = (from: number, to: number, times: readonly number[]) => {
    // A part ends where a visible gap begins.
    if (now === null || to > until || from - now[1] > step) {
      now = [from, to];
      until = Math.max(from, w.from) + step;
      out.push(now);
    }
    now[1] = to;
    for (let k = 0; k + 1 < times.length; k += 2) {
      let at = 2;
      while (at < now.length && now[at] !== times[k]) at += 2;
      if (at < now.length) now[at + 1] += times[k + 1];
      else now.push(times[k], times[k + 1]);
    }
  };
  for (const p of myParts) put(p[0], p[1], p.slice(2));
  for (const s of mySpans) put(s[0], s[1], [stateOf(s), s[1] - s[0]]);
  return { id: row.id, parts: out };
}
