import type { Warning } from "../api/v1.ts";

/** Whether a warning says that an answer lacks the shards of a cluster that are down. */
export function isPartial(w: Warning): boolean {
  return w.kind === "partial_answer";
}

/** The warnings of a document, without those that an earlier document of the same page has. */
export function news(
  list: readonly Warning[] | null | undefined,
  shown: readonly Warning[] | null | undefined,
): Warning[] {
  return (list ?? []).filter((w) => !(shown ?? []).some((v) => v.text === w.text && v.where === w.where));
}
