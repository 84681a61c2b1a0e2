import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { en, type Key } from "./en.ts";
import { ru } from "./ru.ts";
import { zh } from "./zh.ts";

const keys = Object.keys(en) as Key[];

/** The words in braces of a text, sorted. */
function words(text: string): string[] {
  return [...text.matchAll(/\{(\w+)\}/g)].map((m) => m[1]!).sort();
}

/** Texts that are the same in every language. */
const names = new Set(["Go", "GOMAXPROCS", "{n}/s", "p99 {t}", "{n}/с"]);

describe.each([
  ["Russian", ru],
  ["Chinese", zh],
])("%s", (_, texts) => {
  it("has the keys of English", () => {
    expect(Object.keys(texts).sort()).toEqual([...keys].sort());
  });
  it("fills in the same words", () => {
    for (const k of keys) expect(words(texts[k]), k).toEqual(words(en[k]));
  });
  it("is translated", () => {
    for (const k of keys) if (!names.has(en[k])) expect(texts[k], k).not.toBe(en[k]);
    for (const k of keys) expect(texts[k].trim(), k).not.toBe("");
  });
});

describe("the pages", () => {
  it("use every text", () => {
    const read = (dir: string): string =>
      readdirSync(dir, { withFileTypes: true })
        .map((e) => {
          const path = join(dir, e.name);
          if (e.isDirectory()) return e.name === "texts" ? "" : read(path);
          return /\.tsx?$/.test(e.name) ? readFileSync(path, "utf8") : "";
        })
        .join("\n");
    const source = read(join(import.meta.dirname, ".."));
    // Keys that are put together: `kind.${p.kind}`.
    const prefixes = [...source.matchAll(/`([a-z.]+\.)\$\{/g)].map((m) => m[1]!);
    const unused = keys.filter((k) => !source.includes(`"${k}"`) && !prefixes.some((p) => k.startsWith(p)));
    expect(unused).toEqual([]);
  });
});
