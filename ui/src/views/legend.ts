import type { Palette } from "../draw/palette.ts";
import { Kind, type View } from "../lib/decode.ts";
import { percent } from "../lib/format.ts";
import type { Color } from "../lib/hash.ts";
import { costUnder } from "../lib/reshape.ts";
import { exactly } from "../lib/search.ts";
import type { Model } from "../state/model.ts";
import { kindKeys, kindName } from "./describe.ts";
import { h } from "./dom.ts";

const PACKAGES = 8;

/** The meaning of the colors, and the self cost of each. */
export class Legend {
  readonly el = h("div", { class: "legend", role: "group", "aria-label": "Colors" });

  private shown: readonly unknown[] = [];

  constructor(
    private readonly model: Model,
    private readonly find: (query: string) => void,
  ) {}

  show(view: View, color: Color, palette: Palette): void {
    const what = [view, color, palette];
    if (what.every((w, i) => w === this.shown[i])) return;
    this.shown = what;
    const { frames } = this.model.page;
    const { self, left } = view.costs;
    const entry = (css: string, text: string, part: number | null, query: string) => {
      const swatch = h("span", { class: "swatch", "aria-hidden": "true" });
      swatch.style.background = css;
      const share = part === null ? null : h("span", { class: "share" }, percent(part, view.total));
      return query
        ? h(
            "button",
            { type: "button", class: "plain", title: "Mark these", onclick: () => this.find(query) },
            swatch,
            text,
            share,
          )
        : h("span", {}, swatch, text, share);
    };
    const entries: HTMLElement[] = [];
    if (color === "kind") {
      const sums = [0, 0, 0, 0];
      const any = [false, false, false, false];
      frames.forEach((f, i) => {
        sums[f.kind] += self[i];
        any[f.kind] = true;
      });
      for (const k of [Kind.Own, Kind.Dependency, Kind.Std, Kind.Unknown] as const) {
        if (!any[k]) continue;
        const e = entry(palette.kind(k), kindName(k), sums[k], `kind:${kindKeys[k]}`);
        if (k === Kind.Own) {
          const under = costUnder(view.tree, (f) => frames[f].kind === Kind.Own);
          e.append(h("span", { class: "share" }, `(${percent(under, view.total)} with what it calls)`));
        }
        entries.push(e);
      }
    } else if (color === "package") {
      const sums = new Map<string, number>();
      frames.forEach((f, i) => sums.set(f.pkg, (sums.get(f.pkg) ?? 0) + self[i]));
      const top = [...sums].filter(([p, v]) => p !== "" && v !== 0).sort((a, b) => Math.abs(b[1]) - Math.abs(a[1]));
      for (const [p, v] of top.slice(0, PACKAGES)) entries.push(entry(palette.package(p), p, v, exactly(p, "pkg:")));
    } else {
      entries.push(entry(palette.diff(1), "more than the base", null, ""));
      entries.push(entry(palette.diff(0), "the same", null, ""));
      entries.push(entry(palette.diff(-1), "less", null, ""));
    }
    if (left !== 0) {
      const e = entry(palette.rest, "too light to list", left, "");
      e.title = "Functions that are too light to be shown on this page";
      entries.push(e);
    }
    if (entries.length > 0 && color !== "diff") entries.unshift(h("span", { class: "legend-title" }, "self cost of"));
    this.el.replaceChildren(...entries);
  }
}
