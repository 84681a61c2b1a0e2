// Numbers as Go's package unit writes them; tests of internal/report compare the two
// through testdata/flame-units.jsonl.

interface Step {
  readonly name: string;
  readonly aliases: readonly string[]; // lower case, singular
  readonly factor: number;
}

interface Family {
  readonly steps: readonly Step[]; // ascending
  readonly fallback: Step; // for values below the smallest unit
}

const B: Step = { name: "B", aliases: ["b", "byte"], factor: 1 };
const S: Step = { name: "s", aliases: ["s", "sec", "second"], factor: 1e9 };

const families: readonly Family[] = [
  {
    steps: [
      B,
      { name: "kB", aliases: ["kb", "kbyte", "kilobyte"], factor: 1024 },
      { name: "MB", aliases: ["mb", "mbyte", "megabyte"], factor: 2 ** 20 },
      { name: "GB", aliases: ["gb", "gbyte", "gigabyte"], factor: 2 ** 30 },
      { name: "TB", aliases: ["tb", "tbyte", "terabyte"], factor: 2 ** 40 },
      { name: "PB", aliases: ["pb", "pbyte", "petabyte"], factor: 2 ** 50 },
    ],
    fallback: B,
  },
  {
    steps: [
      { name: "ns", aliases: ["ns", "nanosecond"], factor: 1 },
      { name: "us", aliases: ["\u03bcs", "us", "microsecond"], factor: 1e3 },
      { name: "ms", aliases: ["ms", "millisecond"], factor: 1e6 },
      S,
      { name: "hrs", aliases: ["hour", "hr"], factor: 3600e9 },
    ],
    fallback: S,
  },
];

/** A value in the largest unit in which it is at least one: "1.25s", "12.50MB". */
export function quantity(value: number, unit: string): string {
  let name = unit.toLowerCase();
  if ([...name].length > 2) name = name.replace(/s$/, "");
  for (const family of families) {
    const from = family.steps.find((s) => s.aliases.includes(name));
    if (!from) continue;
    const v = value * from.factor;
    let to = family.fallback;
    for (const s of family.steps) if (Math.abs(v) / s.factor >= 1) to = s;
    const text = short(v / to.factor);
    return text === "0" || text === "-0" ? "0" : text + to.name;
  }
  return count(value);
}

function short(v: number): string {
  return v.toFixed(2).replace(/\.00$/, "");
}

/** Part of a whole: "12.34%"; two significant places below 1. */
export function percent(part: number, whole: number): string {
  const p = whole === 0 ? 0 : (Math.abs(part) / Math.abs(whole)) * 100;
  const sign = part < 0 ? "-" : "";
  if (p === 0) return "0%";
  if (p >= 99.95 && p <= 100.05) return `${sign}100%`;
  if (p < 0.0001) return `${sign}<0.0001%`;
  return `${sign}${p >= 1 ? p.toFixed(2) : String(Number(p.toPrecision(2)))}%`;
}

/** A whole number in digits. */
export function count(n: number): string {
  return String(Math.round(n));
}
