import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { colorKeys } from "./states.ts";

type Lab = readonly [number, number, number];

/** OKLab of an sRGB color such as "#58b368". */
function oklab(hex: string): Lab {
  const [r, g, b] = [1, 3, 5]
    .map((i) => parseInt(hex.slice(i, i + 2), 16) / 255)
    .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

function far(a: Lab, b: Lab): number {
  return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

/** The custom properties of a theme, in the given style sheets. */
function properties(theme: RegExp, ...files: string[]): Map<string, string> {
  const out = new Map<string, string>();
  for (const file of files) {
    const css = readFileSync(new URL(`../${file}`, import.meta.url), "utf8");
    for (const [, body] of css.matchAll(new RegExp(`${theme.source}\\s*\\{([^}]*)\\}`, "g")))
      for (const [, name, value] of body.matchAll(/(--[a-z-]+):\s*(#[0-9a-f]{6});/g)) out.set(name, value);
  }
  return out;
}

describe("colors of states", () => {
  for (const [theme, selector] of [
    ["light", /:root/],
    ["dark", /:root\[data-theme="dark"\]/],
  ] as const)
    it(`differ from each other and from the background in the ${theme} theme`, () => {
      const all = properties(selector, "tokens.css", "style-timeline.css");
      const ground = oklab(all.get("--ground") ?? "");
      const labs = colorKeys.map((k) => oklab(all.get(`--state-${k}`) ?? ""));
      colorKeys.forEach((k, i) => {
        // "unknown" says that nothing is known: it may be close to the background and to other waits.
        const least = k === "unknown" ? 0.03 : 0.05;
        expect(far(labs[i], ground), `${k} and the background`).toBeGreaterThan(least);
        for (let j = 0; j < i; j++) expect(far(labs[i], labs[j]), `${k} and ${colorKeys[j]}`).toBeGreaterThan(least);
      });
    });
});
