import type { State } from "../api/timeline.ts";

/** The meanings of the timeline's colors, in the order in which parts are stacked, from the bottom. */
export const colorKeys = [
  "running",
  "stopped",
  "gc",
  "syscall",
  "runnable",
  "lock",
  "channel",
  "network",
  "waiting",
  "unknown",
] as const;
export type ColorKey = (typeof colorKeys)[number];

/** Reports whether a color means waiting, which is drawn paler than work. */
export function waits(key: ColorKey): boolean {
  return key === "lock" || key === "channel" || key === "network" || key === "waiting" || key === "unknown";
}

/** The color of a state, by its group and, for waits, the name of the reason. */
export function colorOf(s: State | undefined): ColorKey {
  switch (s?.group) {
    case "function":
      return "running";
    case "running":
    case "runnable":
    case "syscall":
      return s.group;
    case "gc":
      // The collector's goroutines wait most of the time, which is not garbage collection.
      return /assist$/.test(s.name) ? "gc" : "waiting";
    case "waiting":
      break;
    default:
      return "unknown";
  }
  const name = s.name;
  if (name.includes("chan") || name.includes("select")) return "channel";
  if (name.includes("network")) return "network";
  if (name.includes("sync")) return "lock";
  return "waiting";
}

/** The color of a range, by its name. */
export function rangeColor(name: string): ColorKey {
  return /stop-the-world|STW/.test(name) ? "stopped" : "gc";
}
