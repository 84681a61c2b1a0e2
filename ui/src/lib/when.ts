/** A time as "3 minutes ago", or its date. now is for tests. */
export function ago(iso: string, language: string, now = Date.now()): string {
  const at = new Date(iso);
  const seconds = (now - at.getTime()) / 1000;
  const format = new Intl.RelativeTimeFormat(language, { numeric: "auto" });
  if (seconds < 60) return format.format(-Math.max(0, Math.round(seconds)), "second");
  if (seconds < 3600) return format.format(-Math.round(seconds / 60), "minute");
  if (seconds < 86_400) return format.format(-Math.round(seconds / 3600), "hour");
  return at.toLocaleDateString(language, { year: "numeric", month: "short", day: "numeric" });
}

/** A length of time given in nanoseconds, as Go writes it when it is short. */
export function span(ns: number): string {
  if (ns >= 3600e9) return `${Math.floor(ns / 3600e9)}h${Math.floor((ns % 3600e9) / 60e9)}m`;
  if (ns >= 60e9) return `${Math.floor(ns / 60e9)}m${Math.round((ns % 60e9) / 1e9)}s`;
  if (ns >= 1e9) return `${short(ns / 1e9)}s`;
  if (ns >= 1e6) return `${short(ns / 1e6)}ms`;
  if (ns >= 1e3) return `${short(ns / 1e3)}µs`;
  return `${Math.round(ns)}ns`;
}

function short(v: number): string {
  return String(Number(v.toPrecision(3)));
}

/** A number with separators. */
export function number(n: number, language: string): string {
  return new Intl.NumberFormat(language, { maximumFractionDigits: n < 10 ? 1 : 0 }).format(n);
}

/** A relative change with its sign: 0.12 is "+12.0%". */
export function signed(part: number): string {
  const p = part * 100;
  const digits = Math.abs(p) < 10 ? 1 : 0;
  return `${p > 0 ? "+" : p < 0 ? "−" : ""}${Math.abs(p).toFixed(digits)}%`;
}
