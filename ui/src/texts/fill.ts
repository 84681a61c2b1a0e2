/** What is filled in for the words in braces of a text. */
export type Words = Record<string, string | number>;

/**
 * Fills in the words of a text. After a word's name, "{n|row|rows}" has the forms that go with its number instead, in
 * the order of the language's plural categories: one and other in English; one, few and many in Russian.
 */
export function fill(text: string, words: Words, language: string): string {
  return text.replace(/\{(\w+)((?:\|[^|{}]*)*)\}/g, (all, name: string, forms: string) => {
    if (!(name in words)) return all;
    if (forms === "") return String(words[name]);
    const list = forms.slice(1).split("|");
    const { [new Intl.PluralRules(language).select(Number(words[name]))]: at = list.length - 1 } = places;
    return list[Math.min(at, list.length - 1)]!;
  });
}

/** The places of the plural categories among the forms of a word; that of all others is the last one. */
const places: Partial<Record<Intl.LDMLPluralRule, number>> = { one: 0, few: 1, many: 2 };
