import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { en as bench } from "./bench.ts";
import { texts as benchRu } from "./bench.ru.ts";
import { texts as benchZh } from "./bench.zh.ts";
import { en } from "./en.ts";
import { fill } from "./fill.ts";
import { en as flame } from "./flame.ts";
import { texts as flameRu } from "./flame.ru.ts";
import { texts as flameZh } from "./flame.zh.ts";
import { en as load } from "./load.ts";
import { texts as loadRu } from "./load.ru.ts";
import { texts as loadZh } from "./load.zh.ts";
import { ru } from "./ru.ts";
import { en as timeline } from "./timeline.ts";
import { texts as timelineRu } from "./timeline.ru.ts";
import { texts as timelineZh } from "./timeline.zh.ts";
import { zh } from "./zh.ts";

type Table = Record<string, string>;

/** The English texts of each table, and those of the other languages. */
const tables: readonly (readonly [name: string, en: Table, ru: Table, zh: Table])[] = [
  ["pages", en, ru, zh],
  ["flame", flame, flameRu, flameZh],
  ["load", load, loadRu, loadZh],
  ["bench", bench, benchRu, benchZh],
  ["timeline", timeline, timelineRu, timelineZh],
];

/** The words in braces of a text, sorted. */
function words(text: string): string[] {
  return [...text.matchAll(/\{(\w+)\}/g)].map((m) => m[1]!).sort();
}

/** Texts that are the same in every language. */
const names = new Set([
  "Go",
  "GOMAXPROCS",
  "{n}/s",
  "p99 {t}",
  "{n}/с",
  "{run}: {text}",
  "{a} {b}",
  "{a}. {b}",
  "{column}: {center} {value}",
  "GC",
  "MMU",
]);

const languages = tables.flatMap(([name, from, ru, zh]) => [
  [`Russian ${name}`, from, ru, 3],
  [`Chinese ${name}`, from, zh, 1],
] as const);

describe.each(languages)("%s", (_, from, texts, forms) => {
  const keys = Object.keys(from);
  it("has the keys of English", () => {
    expect(Object.keys(texts).sort()).toEqual([...keys].sort());
  });
  it("fills in the same words", () => {
    for (const k of keys) expect(words(texts[k]!), k).toEqual(words(from[k]!));
  });
  it("has the plural forms of the language", () => {
    const count = (text: string) => [...text.matchAll(/\{\w+\|([^}]*)\}/g)].map((m) => m[1]!.split("|").length);
    for (const k of keys) for (const n of count(texts[k]!)) expect(n, k).toBe(forms);
    for (const k of keys) for (const n of count(from[k]!)) expect(n, k).toBe(2);
  });
  it("is translated", () => {
    for (const k of keys) if (!names.has(from[k]!)) expect(texts[k], k).not.toBe(from[k]);
    for (const k of keys) expect(texts[k]!.trim(), k).not.toBe("");
  });
});

describe("fill", () => {
  it.each([
    ["en", "{n} row{n||s} of {m}", 1, "1 row of x"],
    ["en", "{n} row{n||s} of {m}", 0, "0 rows of x"],
    ["ru", "{n} {n|строка|строки|строк}", 21, "21 строка"],
    ["ru", "{n} {n|строка|строки|строк}", 3, "3 строки"],
    ["ru", "{n} {n|строка|строки|строк}", 11, "11 строк"],
    ["ru", "{n} {n|строка|строки|строк}", 1.5, "1.5 строк"],
    ["zh", "{n} 行", 2, "2 行"],
    ["en", "{other} {n}", 2, "{other} 2"],
  ])("%s %s with %d", (language, text, n, want) => {
    expect(fill(text, { n, m: "x" }, language)).toBe(want);
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
    for (const [name, from] of tables) {
      const unused = Object.keys(from).filter(
        (k) => !source.includes(`"${k}"`) && !prefixes.some((p) => k.startsWith(p)),
      );
      expect(unused, name).toEqual([]);
    }
  });
});
