import type { SvgPen } from "./svg.ts";

/** A row of a chart of bars. */
export interface BarRow {
  readonly name: string;
  /** More about it, below the name. */
  readonly note: string;
  /** The length of the bar, to the left if it is negative. */
  readonly value: number;
  /** The value as text, after the bar. */
  readonly text: string;
  readonly color: string;
  /** A course of values, drawn as a line instead of the bar. */
  readonly course?: readonly number[];
}

/** Where things are, in pixels. */
const width = 1000;
const margin = 16;
const head = 44;
const rowHeight = 36;
const bars = { from: 460, to: 760 };

/** The number of characters that fit in a width, in pixels. */
const fits = (text: string, room: number) => {
  const most = Math.floor(room / 6.6);
  return text.length <= most ? text : `${[...text].slice(0, most - 1).join("")}…`;
};

/** Rows with bars from a common zero, as SVG. quiet and ink are colors of text. */
export function barsSvg(title: string, rows: readonly BarRow[], pen: SvgPen, ink: string, quiet: string): string {
  const low = Math.min(0, ...rows.map((r) => r.value));
  const high = Math.max(0, ...rows.map((r) => r.value));
  const scale = (bars.to - bars.from) / (high - low || 1);
  const zero = bars.from - low * scale;
  pen.font = "12px system-ui, sans-serif";
  pen.fillStyle = ink;
  pen.fillText(fits(title, width - 2 * margin), margin, margin + 8);
  rows.forEach((r, i) => {
    const y = head + i * rowHeight;
    pen.fillStyle = ink;
    pen.fillText(fits(r.name, bars.from - 2 * margin), margin, y + 9);
    pen.fillStyle = quiet;
    pen.fillText(fits(r.note, bars.from - 2 * margin), margin, y + 24);
    if (r.course) {
      const most = Math.max(...r.course, 1e-9);
      const step = (bars.to - bars.from) / Math.max(1, r.course.length - 1);
      pen.strokeStyle = r.color;
      pen.lineWidth = 1.5;
      pen.line(r.course.map((v, k) => [bars.from + k * step, y + 26 - (Math.max(0, v) / most) * 24] as const));
      pen.fillStyle = ink;
      pen.fillText(fits(r.text, width - bars.to - 2 * margin), bars.to + margin, y + 14);
      return;
    }
    pen.fillStyle = r.color;
    pen.name(`${r.name}: ${r.text}`);
    pen.fillRect(zero + Math.min(0, r.value) * scale, y + 5, Math.abs(r.value) * scale, 18);
    pen.fillStyle = ink;
    pen.fillText(fits(r.text, width - bars.to - 2 * margin), bars.to + margin, y + 14);
  });
  pen.fillStyle = quiet;
  if (rows.some((r) => !r.course)) pen.fillRect(zero - 0.5, head, 1, rows.length * rowHeight);
  return pen.toString(width, head + rows.length * rowHeight + margin, title);
}
