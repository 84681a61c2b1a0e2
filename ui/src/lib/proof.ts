/** What the pages of proofs compute: what differs, and the figures of two versions. No DOM. */
import { commonScale, format } from "./benchunit.ts";

/** A number of Go's JSON, which writes those that JSON lacks as text. */
export function numberOf(v: unknown): number {
  if (typeof v === "number") return v;
  if (v === "+Inf" || v === "Inf") return Infinity;
  return v === "-Inf" ? -Infinity : NaN;
}

/** A line of an answer; it is the input's if both versions have it. */
export interface AnswerLine {
  readonly text: string;
  readonly differs: boolean;
}

/** A call on which two versions differ. */
export interface Difference {
  readonly what: string; // which function
  readonly note: string; // more about it; "" for nothing
  readonly input: string; // the lines with which both begin
  readonly before: readonly AnswerLine[];
  readonly after: readonly AnswerLine[];
}

/** The call on which two versions differ, from the reason of a proof; null if it has none. */
export function difference(reason: string): Difference | null {
  const lines = reason.split("\n");
  const at = (word: string, from: number) => lines.findIndex((l, i) => i >= from && l.trim() === word);
  const before = at("before:", 0);
  const after = before < 0 ? -1 : at("after:", before);
  if (after < 0) return null;
  const a = trimmed(lines.slice(before + 1, after));
  let b = trimmed(lines.slice(after + 1));
  // With a difference in memory, a sentence about it ends the text.
  const news = b.at(-1)?.endsWith(", as it never did before") && b.length > a.length ? b.at(-1)! : "";
  if (news) b = b.slice(0, -1);
  let same = 0;
  while (same < a.length - 1 && same < b.length - 1 && a[same] === b[same]) same++;
  const input = a.slice(0, same);
  const marked = (own: readonly string[], other: readonly string[]): AnswerLine[] =>
    own.slice(same).map((text, i) => ({ text, differs: text !== other[same + i] }));
  const head = lines
    .slice(0, before)
    .map((l) => l.trim())
    .filter((l) => l && l !== "the results differ");
  return {
    what: head[0]?.replace(/:$/, "") ?? "",
    note: [...head.slice(1), news].filter(Boolean).join("\n"),
    input: input.join("\n"),
    before: marked(a, b),
    after: marked(b, a),
  };
}

/** The lines without the spaces that all have in front, and without empty ones at the end. */
function trimmed(lines: readonly string[]): string[] {
  const full = lines.slice(0, lines.length - [...lines].reverse().findIndex((l) => l.trim() !== ""));
  if (!lines.some((l) => l.trim() !== "")) return [];
  const spaces = Math.min(...full.filter((l) => l.trim()).map((l) => l.length - l.trimStart().length));
  return full.map((l) => l.slice(spaces));
}

/** One figure of a benchmark in two versions. */
export interface FigureRow {
  readonly name: string;
  readonly unit: string;
  readonly before: string;
  readonly after: string;
  readonly change: string;
  readonly interval: string; // half of it, such as "±2%"; "" without one
  readonly verdict: string; // better, worse, same or undecided
  readonly relative: number; // the change as a share of the value before; 0 if unknown
  readonly times: string; // "2.0x" for a gain that is worth the word
  readonly remaining: number; // share of the time or space that remains; -1 if unknown
}

/** A unit of a comparison as Go writes it. */
export interface UnitOf {
  readonly unit: string;
  readonly better: string;
  readonly a: { readonly median: unknown };
  readonly b: { readonly median: unknown };
  readonly ratio: unknown;
  readonly low: unknown;
  readonly high: unknown;
  readonly verdict: string;
}

export interface SubjectOf {
  readonly name: string;
  readonly units: readonly UnitOf[] | null;
}

/** Whether a unit counts bytes. */
function binary(unit: string): boolean {
  return /(^|-)(B|bytes)($|\/)/.test(unit);
}

function change(ratio: number, a: number, b: number): string {
  if (Number.isNaN(ratio) && a > 0 && b === 0) return "−100%";
  if (!Number.isFinite(ratio)) return "?";
  if (ratio >= 10) return `${ratio.toFixed(1)}x`;
  const p = (ratio - 1) * 100;
  return `${p > 0 ? "+" : p < 0 ? "−" : ""}${Math.abs(p).toFixed(2)}%`;
}

function halfOf(low: number, high: number): string {
  const half = Math.expm1((Math.log(high) - Math.log(low)) / 2);
  if (!Number.isFinite(half)) return "";
  if (half === 0) return "±0%";
  return `±${half >= 0.0995 ? (half * 100).toFixed(0) : String(Number((half * 100).toPrecision(2)))}%`;
}

/** What is predicted of a program, as Go writes it. */
export interface PredictionOf {
  readonly change: unknown;
  readonly low: unknown;
  readonly high: unknown;
}

/** The predicted change of a program's CPU time, with its interval if there is one: "−6.0% (−8.0% … −4.0%)". */
export function predictedChange(p: PredictionOf): string {
  const signed = (n: number) => `${n > 0 ? "+" : n < 0 ? "−" : ""}${(Math.abs(n) * 100).toFixed(1)}%`;
  const [low, high] = [numberOf(p.low), numberOf(p.high)];
  const interval = Number.isFinite(low) && Number.isFinite(high) ? ` (${signed(low)} … ${signed(high)})` : "";
  return signed(numberOf(p.change)) + interval;
}

/**
 * The figures to show: the first of each benchmark, and the others that differ. With all, also bytes
 * and allocations.
 */
export function figures(subjects: readonly SubjectOf[], all: boolean): FigureRow[] {
  const rows: FigureRow[] = [];
  for (const s of subjects) {
    (s.units ?? []).forEach((u, i) => {
      const decided = u.verdict === "better" || u.verdict === "worse";
      if (i > 0 && !decided && !(all && (u.unit === "B/op" || u.unit === "allocs/op"))) return;
      const [a, b, ratio] = [numberOf(u.a.median), numberOf(u.b.median), numberOf(u.ratio)];
      const scale = commonScale([a, b], binary(u.unit));
      const less = u.better === "higher" ? ratio : 1 / ratio;
      const gone = Number.isNaN(ratio) && a > 0 && b === 0;
      rows.push({
        name: s.name,
        unit: u.unit,
        before: format(a, scale),
        after: format(b, scale),
        change: change(ratio, a, b),
        interval: gone ? "" : halfOf(numberOf(u.low), numberOf(u.high)),
        verdict: u.verdict,
        relative: gone ? -1 : Number.isFinite(ratio) ? ratio - 1 : 0,
        times: u.verdict === "better" && Number.isFinite(less) && less >= 1.1 ? `${less.toFixed(1)}x` : "",
        remaining: gone ? 0 : Number.isFinite(ratio) && u.better !== "higher" ? Math.min(1, ratio) : -1,
      });
    });
  }
  return rows;
}

/** A figure of a cost elsewhere. */
export function costValue(v: number, unit: string, quantity: (v: number, unit: string) => string): string {
  if (unit === "B") return quantity(v, "bytes");
  if (unit === "ns") return quantity(v, "nanoseconds");
  return unit ? `${Number(v.toPrecision(4))} ${unit}` : String(v);
}

/** A line of a unified diff. */
export interface DiffLine {
  readonly kind: "plus" | "minus" | "hunk" | "file" | "";
  readonly text: string;
}

/**
 * The lines of a unified diff. The lines of hunks are counted, so that a removed line that begins with
 * two dashes is not taken for the name of a file.
 */
export function diffLines(diff: string): DiffLine[] {
  const lines: DiffLine[] = [];
  let [before, after] = [0, 0];
  for (const text of diff.replace(/\n$/, "").split("\n")) {
    const inside = before > 0 || after > 0;
    if (inside && text.startsWith("+")) {
      after--;
      lines.push({ kind: "plus", text });
    } else if (inside && text.startsWith("-")) {
      before--;
      lines.push({ kind: "minus", text });
    } else if (inside) {
      if (!text.startsWith("\\")) [before, after] = [before - 1, after - 1];
      lines.push({ kind: "", text });
    } else if (text.startsWith("diff ") || text.startsWith("+++ ")) {
      continue; // the name is that of ---
    } else if (text.startsWith("--- ")) {
      lines.push({ kind: "file", text: text.slice(4).replace(/^"?a\//, "").replace(/["\t]+$/, "") });
    } else if (text.startsWith("@@")) {
      const m = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(text);
      [before, after] = m ? [Number(m[1] ?? 1), Number(m[2] ?? 1)] : [0, 0];
      lines.push({ kind: "hunk", text });
    } else {
      lines.push({ kind: "", text });
    }
  }
  return lines;
}

/** The names of the files in the lines of a diff, in their order. */
export function filesOf(lines: readonly DiffLine[]): string[] {
  return lines.filter((l) => l.kind === "file").map((l) => l.text);
}

/** The lines of the files that are kept. */
export function ofFiles(lines: readonly DiffLine[], keep: (file: string) => boolean): DiffLine[] {
  let on = true;
  return lines.filter((l) => {
    if (l.kind === "file") on = keep(l.text);
    return on;
  });
}

/** The first line that a hunk has in the changed file; 0 if the text is not the head of one. */
export function hunkLine(text: string): number {
  return Number(/^@@ -\d+(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(text)?.[1] ?? 0);
}
