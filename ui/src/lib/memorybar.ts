/** The bar of the memory page as a picture for other programs. No DOM. */
import { SvgPen } from "./svg.ts";

export interface BarPart {
  readonly name: string;
  readonly size: string; // as text
  readonly bytes: number; // not negative
  readonly color: string;
}

const width = 960;
const margin = 20;
const rowHeight = 22;

/** The parts of memory from left to right, with a list of them below. */
export function memorySvg(title: string, parts: readonly BarPart[], pen: SvgPen): string {
  const sum = parts.reduce((n, p) => n + p.bytes, 0) || 1;
  const height = margin * 2 + 60 + parts.length * rowHeight;
  pen.font = "13px";
  pen.fillStyle = "#ffffff";
  pen.fillRect(0, 0, width, height);
  pen.fillStyle = "#222222";
  pen.fillText(title, margin, margin);
  let x = margin;
  parts.forEach((p, i) => {
    const w = (p.bytes / sum) * (width - 2 * margin);
    const y = margin + 70 + i * rowHeight;
    pen.fillStyle = p.color;
    pen.name(`${p.name} ${p.size}`);
    pen.fillRect(x, margin + 18, w, 32);
    pen.fillRect(margin, y - 6, 12, 12);
    pen.fillStyle = "#222222";
    pen.fillText(`${p.name}: ${p.size}`, margin + 20, y);
    x += w;
  });
  return pen.toString(width, height, title);
}
