import { Kind, type Frame, type View } from "../lib/decode.ts";
import { percent, quantity } from "../lib/format.ts";
import type { Scene } from "../lib/scene.ts";
import { ALL, REST } from "../lib/tree.ts";
import { flameTexts } from "../texts/flame.ts";

const { t } = flameTexts;

export const kindKeys = {
  [Kind.Own]: "own",
  [Kind.Std]: "std",
  [Kind.Dependency]: "dep",
  [Kind.Unknown]: "other",
} as const;

/** The name of a kind of code. */
export function kindName(k: Kind): string {
  return t(`kind.${kindKeys[k]}`);
}

/** The name of a box. */
export function boxName(s: Scene, frames: readonly Frame[], box: number): string {
  const f = s.frame[box];
  if (f === ALL) return t("all");
  if (f === REST) return t("rest", { n: s.rest[box] ?? 0 });
  return frames[f].name;
}

/** file:line, as far as known. */
export function place(f: Frame): string {
  return f.file === "" ? "" : f.line > 0 ? `${f.file}:${f.line}` : f.file;
}

/** A box in one sentence, for the status line and screen readers. */
export function sentence(s: Scene, frames: readonly Frame[], view: View, box: number, zoom: number): string {
  const parts = [boxName(s, frames, box)];
  parts.push(t("ofall", { value: quantity(s.total[box], view.unit), share: percent(s.total[box], view.total) }));
  if (zoom > 0 && box !== zoom)
    parts.push(t("of", { share: percent(s.w[box], s.w[zoom]), name: boxName(s, frames, zoom) }));
  if (s.frame[box] >= 0 && s.value[box] !== 0) parts.push(t("selfvalue", { value: quantity(s.value[box], view.unit) }));
  return parts.join(", ");
}
