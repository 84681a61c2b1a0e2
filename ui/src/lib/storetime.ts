/** Ranges of time, their steps, and axes of time. No DOM. Times are milliseconds since 1970. */

export interface Range {
  readonly from: number;
  readonly to: number;
}

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** The ranges that end now, by their names in addresses. */
export const presets: Readonly<Record<string, number>> = { "1h": hour, "6h": 6 * hour, "24h": day, "7d": 7 * day };
export const usual = "24h";

/** The range of an address: two times, else one that ends now. */
export function rangeOf(since: string, from: string, to: string, now: number): Range {
  const [a, b] = [Date.parse(from), Date.parse(to)];
  if (Number.isFinite(a) && Number.isFinite(b) && a < b) return { from: a, to: b };
  return { from: now - (presets[since] ?? presets[usual]!), to: now };
}

/** A time as the API has it. */
export function iso(ms: number): string {
  return new Date(ms).toISOString().replace(".000Z", "Z");
}

/** The time a nanosecond after one in RFC 3339, which may have a fraction. */
export function justAfter(time: string): string {
  const m = /^(.*?)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/.exec(time);
  if (!m) return time;
  const nanos = Number((m[2] ?? "").padEnd(9, "0")) + 1;
  if (nanos === 1e9) return iso(Date.parse(m[1]! + m[3]!) + 1000);
  return `${m[1]}.${String(nanos).padStart(9, "0").replace(/0+$/, "")}${m[3]}`;
}

const steps = [
  1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400, 172_800, 604_800,
].map((s) => s * 1000);

/** The width of a column, so that a range has at most so many. */
export function stepFor(r: Range, columns: number): number {
  const least = (r.to - r.from) / columns;
  const found = steps.find((s) => s >= least);
  if (found !== undefined) return found;
  const week = steps.at(-1)!;
  return Math.ceil(least / week) * week;
}

/** The range, widened to whole steps, so that columns stay where they are when the range moves. */
export function aligned(r: Range, step: number): Range {
  return { from: Math.floor(r.from / step) * step, to: Math.ceil(r.to / step) * step };
}

/** A length of time as Go reads it. */
export function goDuration(ms: number): string {
  return `${ms / 1000}s`;
}

/** The range before one, of the same length. */
export function before(r: Range, by = r.to - r.from): Range {
  return { from: r.from - by, to: r.to - by };
}

/** The range moved by parts of its length. */
export function moved(r: Range, parts: number): Range {
  return before(r, -Math.round((r.to - r.from) * parts));
}

/** The range twice as long, with the same center, that does not end after now. */
export function wider(r: Range, now: number): Range {
  const half = (r.to - r.from) / 2;
  const to = Math.max(r.to, Math.min(r.to + half, now));
  return { from: to - 4 * half, to };
}

/** Round times of a range, at most so many: whole days, hours or minutes of the reader. */
export function timeTicks(r: Range, most: number): number[] {
  const shift = -new Date(r.from).getTimezoneOffset() * minute;
  const step = stepFor(r, most);
  const out: number[] = [];
  for (let at = Math.ceil((r.from + shift) / step) * step - shift; at <= r.to; at += step) out.push(at);
  return out;
}

/** A time of an axis: with the date where the range has several days, with seconds where it is short. */
export function tickText(ms: number, r: Range, language: string): string {
  const span = r.to - r.from;
  const at = new Date(ms);
  const clock: Intl.DateTimeFormatOptions = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" };
  if (span > 12 * day) return at.toLocaleDateString(language, { month: "short", day: "numeric" });
  if (span > day + hour) return at.toLocaleString(language, { month: "short", day: "numeric", ...clock });
  return at.toLocaleTimeString(language, span < 10 * minute ? { ...clock, second: "2-digit" } : clock);
}

/** A time with its date. */
export function timeText(time: string | number, language: string, seconds = false): string {
  return new Date(time).toLocaleString(language, {
    year: "numeric",
    month: "short",
    day: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    ...(seconds ? { second: "2-digit" as const } : {}),
    hourCycle: "h23",
  });
}

/** A time as a field for dates and times has it: that of the reader, to the minute. */
export function fieldTime(ms: number): string {
  return new Date(ms - new Date(ms).getTimezoneOffset() * minute).toISOString().slice(0, 16);
}

/** A time until now, in the largest unit that fits: "3h". */
export function length(ms: number): string {
  for (const [unit, name] of [
    [day, "d"],
    [hour, "h"],
    [minute, "m"],
  ] as const)
    if (ms >= 2 * unit) return `${Math.round(ms / unit)}${name}`;
  return `${Math.round(ms / 1000)}s`;
}

/** The part of the time between two scrapes that a target was being profiled; null if it is not known. */
export function profiledShare(tookNs: number, last: string, next: string): number | null {
  const between = Date.parse(next) - Date.parse(last);
  return tookNs > 0 && between > 0 ? Math.min(1, tookNs / 1e6 / between) : null;
}
