import type { WorkbenchFile } from "../api/v1.ts";

/** A sample type of a file: its profile and its name. */
export interface Choice {
  readonly value: string; // PROFILE:SAMPLETYPE, as --type takes it
  readonly text: string;
}

/** The sample types of a file. */
export function choicesOf(about: WorkbenchFile | null): Choice[] {
  const list: Choice[] = [];
  for (const p of about?.profiles ?? [])
    for (const s of p.types ?? [])
      list.push({
        value: p.name ? `${p.name}:${s.type}` : s.type,
        text: p.name && p.name !== s.type ? `${p.name} · ${s.type}` : s.type,
      });
  return list;
}

/** Completes a type: "alloc_space" is in the first profile that has it, "mutex" has a default. */
export function fullType(type: string, choices: readonly Choice[]): string {
  if (choices.length === 0 || choices.some((c) => c.value === type)) return type;
  const usual = [
    "cpu:cpu",
    "allocs:alloc_space",
    "heap.live:inuse_space",
    "heap:inuse_space",
    "mutex:delay",
    "block:delay",
  ];
  if (type === "") return usual.find((u) => choices.some((c) => c.value === u)) ?? choices.at(-1)!.value;
  const sample = choices.find((c) => c.value.endsWith(`:${type}`));
  const whole = choices.filter((c) => c.value.startsWith(`${type}:`)).at(-1);
  return (sample ?? whole)?.value ?? choices[0]!.value;
}

/** The profile and the sample type of a full type; no profile in a file that is one. */
export function splitType(type: string): [part: string, sample: string] {
  const at = type.lastIndexOf(":");
  return at > 0 ? [type.slice(0, at), type.slice(at + 1)] : ["", type];
}
