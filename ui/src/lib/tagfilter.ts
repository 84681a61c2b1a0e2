/** A tag filter as text: that of exactly one value, which Go quotes, is KEY=VALUE; others are as they are. */
export function tagText(filter: string): string {
  const m = /^([^=]+)=\^(.*)\$$/s.exec(filter);
  if (m) {
    const [, key, value] = m as unknown as [string, string, string];
    // Without what is quoted, no character of the value may be special.
    if (!/[.*+?^${}()|[\]\\]/.test(value.replace(/\\(x2c|[^\w])/g, "")))
      return `${key}=${value.replace(/\\(x2c|[^\w])/g, (_, c: string) => (c === "x2c" ? "," : c))}`;
  }
  const n = /^([^=]+)=(-?\d+):(-?\d+)$/.exec(filter);
  return n && n[2] === n[3] ? `${n[1]}=${n[2]}` : filter;
}
