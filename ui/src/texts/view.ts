import { fill, type Words } from "./fill.ts";

/** What loads the texts of a view in a language. */
type Load<K extends string> = () => Promise<{ texts: Record<K, string> }>;

/**
 * The texts of a view that saved pages have, too: those have English only, without what loads another language.
 */
export class ViewTexts<K extends string> {
  private shown: Readonly<Record<K, string>>;
  private language = "en";

  constructor(private readonly en: Readonly<Record<K, string>>) {
    this.shown = en;
  }

  /** A text, with its words filled in. */
  readonly t = (key: K, words: Words = {}): string => fill(this.shown[key], words, this.language);

  /** A number with its thousands apart. */
  readonly number = (n: number): string => n.toLocaleString(this.language);

  /** Uses the texts of a language from now on; English, if others has none for it. */
  async speak(language: string, others: Readonly<Record<string, Load<K>>>): Promise<void> {
    const texts = await others[language]?.();
    this.shown = texts?.texts ?? this.en;
    this.language = texts ? language : "en";
  }
}
