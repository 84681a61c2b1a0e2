import { benchTexts, type BenchKey } from "../texts/bench.ts";

const { t } = benchTexts;

/** The words that documents have for verdicts, centers and intervals. */
const words = new Map<string, BenchKey>([
  ["better", "word.better"],
  ["worse", "word.worse"],
  ["changed", "word.changed"],
  ["perhaps chance", "word.chance"],
  ["no change shown", "word.unchanged"],
  ["the same", "word.same"],
  ["median", "word.median"],
  ["mean", "word.mean"],
  ["exact", "word.exact"],
  ["quartiles", "word.quartiles"],
]);

/** A word of a document in the language of the page; what is more than a word stays as it is. */
export function word(text: string): string {
  const confidence = /^([\d.]+)% confidence interval$/.exec(text);
  if (confidence) return t("word.confidence", { n: confidence[1]! });
  const key = words.get(text);
  return key ? t(key) : text;
}
