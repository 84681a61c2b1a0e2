/** What the outcomes of a proof mean for a change. */
import type { Key } from "../texts/en.ts";

/** By outcome. A map, because files may have any text as the outcome. */
export const outcomes: ReadonlyMap<string, { readonly text: Key; readonly mood: "good" | "bad" | "warn" }> = new Map([
  ["faster", { text: "proof.faster", mood: "good" }],
  ["same speed", { text: "proof.samespeed", mood: "good" }],
  ["slower", { text: "proof.slower", mood: "bad" }],
  ["different", { text: "proof.different", mood: "bad" }],
  ["broken", { text: "proof.broken", mood: "bad" }],
  ["unproven", { text: "proof.unproven", mood: "warn" }],
]);
