import { bareName, methodName, shortName } from "../lib/names.ts";

/** Fits text into boxes. Widths are measured once. */
export class Labels {
  private readonly widths = new Map<string, number>();
  private readonly forms = new Map<string, string[]>();

  constructor(
    private readonly ctx: CanvasRenderingContext2D,
    readonly font: string,
  ) {}

  /** The longest form of a name that fits; "" if not even a few letters do. */
  fit(name: string, room: number): string {
    if (room < 14) return "";
    // Names may be very long, and slow to measure.
    if (name.length < 400 && this.width(name) <= room) return name;
    let forms = this.forms.get(name);
    if (forms === undefined) {
      forms = [shortName(name), bareName(name), methodName(name)].map((f) => f.slice(0, 400));
      this.forms.set(name, forms);
    }
    for (const form of forms) if (this.width(form) <= room) return form;
    const short = forms[forms.length - 1];
    const width = this.width(short);
    // Start with the length for letters of average width and adjust it.
    let n = Math.min(short.length - 1, Math.ceil((short.length * room) / width));
    for (; n > 1; n--) {
      const cut = short.slice(0, n) + "…";
      if (this.ctx.measureText(cut).width <= room) return cut;
    }
    return "";
  }

  private width(text: string): number {
    let w = this.widths.get(text);
    if (w === undefined) {
      w = this.ctx.measureText(text).width;
      this.widths.set(text, w);
    }
    return w;
  }
}
