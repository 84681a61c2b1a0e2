import { Kind, type Frame, type View } from "../lib/decode.ts";
import { percent, quantity } from "../lib/format.ts";
import type { Scene } from "../lib/scene.ts";
import { ALL, REST } from "../lib/tree.ts";

export const kindNames: Record<Kind, string> = {
  [Kind.Own]: "own code",
  [Kind.Std]: "standard library",
  [Kind.Dependency]: "dependency",
  [Kind.Unknown]: "other",
};

export const kindKeys: Record<Kind, string> = {
  [Kind.Own]: "own",
  [Kind.Std]: "std",
  [Kind.Dependency]: "dep",
  [Kind.Unknown]: "other",
};

/** The name of a box. */
export function boxName(s: Scene, frames: readonly Frame[], box: number): string {
  const f = s.frame[box];
  if (f === ALL) return "all";
  if (f === REST) return s.rest[box] === 1 ? "1 smaller" : `${s.rest[box]} smaller`;
  return frames[f].name;
}

/** file:line, as far as known. */
export function place(f: Frame): string {
  return f.file === "" ? "" : f.line > 0 ? `${f.file}:${f.line}` : f.file;
}

/** A box in one sentence, for the status line and screen readers. */
export function sentence(s: Scene, frames: readonly Frame[], view: View, box: number, zoom: number): string {
  const parts = [boxName(s, frames, box)];
  parts.push(`${quantity(s.total[box], view.unit)} (${percent(s.total[box], view.total)} of all)`);
  if (zoom > 0 && box !== zoom) parts.push(`${percent(s.w[box], s.w[zoom])} of ${boxName(s, frames, zoom)}`);
  if (s.frame[box] >= 0 && s.value[box] !== 0) parts.push(`self ${quantity(s.value[box], view.unit)}`);
  return parts.join(", ");
}
