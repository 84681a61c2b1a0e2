/** The part of a canvas's context that a picture of boxes needs. */
export type Pen = Pick<
  CanvasRenderingContext2D,
  "fillRect" | "strokeRect" | "fillText" | "setTransform" | "createPattern"
> & {
  fillStyle: string | CanvasGradient | CanvasPattern;
  strokeStyle: string | CanvasGradient | CanvasPattern;
  globalAlpha: number;
  lineWidth: number;
  font: string;
  textBaseline: CanvasTextBaseline;
};

/** Makes an SVG picture of what is drawn with it, as on a canvas. No DOM. */
export class SvgPen implements Pen {
  fillStyle: string | CanvasGradient | CanvasPattern = "#000";
  strokeStyle: string | CanvasGradient | CanvasPattern = "#000";
  globalAlpha = 1;
  lineWidth = 1;
  font = "";
  textBaseline: CanvasTextBaseline = "middle";
  /** Where the position of a text is. */
  anchor: "start" | "middle" | "end" = "start";
  private readonly parts: string[] = [];
  private title = "";

  /** color translates the colors of the page into those that all programs know. */
  constructor(private readonly color: (css: string) => string) {}

  /** What a pointer on the next box shows. */
  name(title: string): void {
    this.title = title;
  }

  setTransform(): void {
    // Lengths are CSS pixels already.
  }

  createPattern(): null {
    return null;
  }

  fillRect(x: number, y: number, w: number, h: number): void {
    const title = this.title ? `<title>${escaped(this.title)}</title>` : "";
    this.title = "";
    const rect = `<rect ${box(x, y, w, h)} fill="${this.css(this.fillStyle)}"${this.alpha()}`;
    this.parts.push(title ? `${rect}>${title}</rect>` : `${rect}/>`);
  }

  strokeRect(x: number, y: number, w: number, h: number): void {
    this.parts.push(
      `<rect ${box(x, y, w, h)} fill="none" stroke="${this.css(this.strokeStyle)}" ` +
        `stroke-width="${num(this.lineWidth)}"/>`,
    );
  }

  fillText(text: string, x: number, y: number): void {
    this.parts.push(
      `<text x="${num(x)}" y="${num(y)}" fill="${this.css(this.fillStyle)}"${this.alpha()}${
        this.anchor === "start" ? "" : ` text-anchor="${this.anchor}"`
      }>${escaped(text)}</text>`,
    );
  }

  /** A line through points. */
  line(points: readonly (readonly [number, number])[], dashed = false): void {
    this.parts.push(
      `<polyline points="${path(points)}" fill="none" stroke="${this.css(this.strokeStyle)}" ` +
        `stroke-width="${num(this.lineWidth)}"${dashed ? ' stroke-dasharray="6 4"' : ""}/>`,
    );
  }

  /** The area that points enclose. */
  area(points: readonly (readonly [number, number])[]): void {
    this.parts.push(`<polygon points="${path(points)}" fill="${this.css(this.fillStyle)}"${this.alpha()}/>`);
  }

  /** The picture as a file. */
  toString(width: number, height: number, title: string): string {
    const size = /([\d.]+)px/.exec(this.font)?.[1] ?? "12";
    return (
      `<?xml version="1.0" encoding="UTF-8"?>\n<svg xmlns="http://www.w3.org/2000/svg" width="${num(width)}" ` +
      `height="${num(height)}" viewBox="0 0 ${num(width)} ${num(height)}" font-family="system-ui, sans-serif" ` +
      `font-size="${size}" dominant-baseline="central">\n<title>${escaped(title)}</title>\n` +
      `${this.parts.join("\n")}\n</svg>\n`
    );
  }

  private css(style: string | CanvasGradient | CanvasPattern): string {
    return typeof style === "string" ? escaped(this.color(style)) : "none";
  }

  private alpha(): string {
    return this.globalAlpha < 1 ? ` fill-opacity="${num(this.globalAlpha)}"` : "";
  }
}

function box(x: number, y: number, w: number, h: number): string {
  return `x="${num(x)}" y="${num(y)}" width="${num(w)}" height="${num(h)}"`;
}

function path(points: readonly (readonly [number, number])[]): string {
  return points.map(([x, y]) => `${num(x)},${num(y)}`).join(" ");
}

function num(v: number): string {
  return String(Number(v.toFixed(2)));
}

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Text for an element or an attribute. Characters that XML does not allow become the replacement character. */
function escaped(text: string): string {
  return text
    .replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "\ufffd")
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\ufffd")
    .replace(/[&<>"]/g, (c) => entities[c] ?? c);
}
