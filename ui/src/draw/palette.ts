import type { Kind } from "../lib/decode.ts";
import { hash } from "../lib/names.ts";
import { hexColors } from "./raster.ts";

/** Colors of the boxes, from the style sheet's custom properties. */
export class Palette {
  readonly text: string;
  readonly ground: string;
  readonly rest: string;
  readonly root: string;
  readonly match: string;
  readonly ring: string;
  private readonly kinds: readonly Oklch[];
  private readonly pkg: Oklch;
  private readonly up: Oklch;
  private readonly down: Oklch;
  private readonly same: Oklch;
  private readonly memo = new Map<string, string>();
  /** By the origin of the code, and by name. */
  private readonly shades: Map<string | undefined, string>[] = [];
  private readonly hex = hexColors(); // which browsers parse faster

  constructor(style: CSSStyleDeclaration) {
    const get = (name: string) => style.getPropertyValue(name).trim();
    this.text = get("--box-text");
    this.ground = get("--ground");
    this.rest = get("--box-rest");
    this.root = get("--box-root");
    this.match = get("--match");
    this.ring = get("--ring");
    this.kinds = ["--kind-other", "--kind-own", "--kind-std", "--kind-dep"].map((n) => oklch(get(n)));
    this.pkg = oklch(get("--box-package"));
    this.up = oklch(get("--diff-up"));
    this.down = oklch(get("--diff-down"));
    this.same = oklch(get("--diff-same"));
  }

  /** By the origin of the code; the shade varies with the name, so that boxes are distinguishable. */
  kind(kind: Kind, name?: string): string {
    const shades = (this.shades[kind] ??= new Map());
    let css = shades.get(name);
    if (css === undefined) {
      const c = this.kinds[kind] ?? this.kinds[0];
      css = this.css(name === undefined ? c : { ...c, l: c.l + ((hash(name) % 5) - 2) * 0.012 });
      shades.set(name, css);
    }
    return css;
  }

  package(pkg: string): string {
    if (pkg === "") return this.css(this.kinds[0]);
    // Steps of the golden angle over the hash: neighbors in name are not
    // neighbors in hue.
    const h = hash(pkg);
    return this.css({ l: this.pkg.l + ((h >>> 9) % 3) * 0.02, c: this.pkg.c, h: ((h % 97) * 137.508) % 360 });
  }

  /** By growth, from -1 (all gone) over 0 (equal) to 1 (all new). */
  diff(part: number): string {
    const end = part < 0 ? this.down : this.up;
    const t = Math.round(Math.sqrt(Math.min(1, Math.abs(part))) * 12) / 12;
    return this.css({
      l: this.same.l + (end.l - this.same.l) * t,
      c: this.same.c + (end.c - this.same.c) * t,
      h: end.h,
    });
  }

  private css(c: Oklch): string {
    const key = `${c.l.toFixed(3)} ${c.c.toFixed(3)} ${c.h.toFixed(0)}`;
    let s = this.memo.get(key);
    if (s === undefined) {
      s = this.hex(`oklch(${key})`);
      this.memo.set(key, s);
    }
    return s;
  }
}

interface Oklch {
  readonly l: number;
  readonly c: number;
  readonly h: number;
}

/** Custom properties hold bare "lightness chroma hue". */
function oklch(text: string): Oklch {
  const [l = 0.7, c = 0, h = 0] = text.split(/\s+/).map(Number);
  return { l, c, h };
}
