import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const styles = new URL("../", import.meta.url);

/** Spaces of a style sheet that are lengths of 2 to 24 pixels, and not one of the tokens. */
function literal(css: string): string[] {
  return [...css.matchAll(/(?:padding|margin|gap)[a-z-]*:\s*([^;]+);/g)]
    .filter(([, value]) => {
      const lengths = [...value.matchAll(/(?<![\w.-])(\d+(?:\.\d+)?)px/g)].map(([, n]) => Number(n));
      return lengths.some((n) => n >= 2 && n <= 24);
    })
    .map(([text]) => text);
}

describe("spaces", () => {
  const files = readdirSync(styles).filter((f) => f.endsWith(".css"));
  it("are tokens", () => {
    expect(files.length).toBeGreaterThan(8);
    for (const file of files) expect(literal(readFileSync(new URL(file, styles), "utf8")), file).toEqual([]);
  });
  it("are found where they are not", () => {
    expect(literal("a { padding: 0 12px; } b { margin: 1px; gap: 40px } c { row-gap: var(--space-8); }")).toEqual([
      "padding: 0 12px;",
    ]);
  });
  it("have a token for each that is used", () => {
    const tokens = readFileSync(new URL("tokens.css", styles), "utf8");
    const known = new Set([...tokens.matchAll(/(--space-\d+):/g)].map(([, name]) => name));
    for (const file of files)
      for (const [, name] of readFileSync(new URL(file, styles), "utf8").matchAll(/var\((--space-\d+)\)/g))
        expect(known.has(name), `${file}: ${name}`).toBe(true);
  });
});
