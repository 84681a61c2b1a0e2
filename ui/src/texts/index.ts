import { signal } from "@preact/signals";
import { en, type Key, type Texts } from "./en.ts";
import { fill, type Words } from "./fill.ts";

export type { Key };

/** The languages of the pages, by their names in themselves. */
export const languages = { en: "English", ru: "Русский", zh: "中文" } as const;
export type Language = keyof typeof languages;

const stored = "whet-language";
const texts = signal<Texts>(en);

/** The language that is shown. */
export const language = signal<Language>("en");

/** Shows the pages in a language; its texts load when they are needed. */
export async function speak(l: Language): Promise<void> {
  const loaded: Texts = l === "ru" ? (await import("./ru.ts")).ru : l === "zh" ? (await import("./zh.ts")).zh : en;
  texts.value = loaded;
  language.value = l;
  document.documentElement.lang = l;
  try {
    localStorage.setItem(stored, l);
  } catch {
    // The choice lasts as long as the page.
  }
}

/** The language of the last visit, else the browser's, else English. */
export function preferred(): Language {
  let wanted = "";
  try {
    wanted = localStorage.getItem(stored) ?? "";
  } catch {
    // As above.
  }
  for (const l of [wanted, ...navigator.languages]) {
    const short = l.slice(0, 2).toLowerCase();
    if (short in languages) return short as Language;
  }
  return "en";
}

/** A text of the pages, with its words in braces filled in. */
export function t(key: Key, words: Words = {}): string {
  return fill(texts.value[key], words, language.value);
}
