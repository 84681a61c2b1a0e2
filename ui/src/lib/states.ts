import type { State } from "../api/timeline.ts";

/** The meanings of the timeline's colours, in the order in which parts are stacked, from the bottom. */
export const colourKeys = [
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
export type ColourKey = (typeof colourKeys)[number];

export const colourNames: Record<ColourKey, string> = {
  running: "running",
  stopped: "stop of the world",
  gc: "garbage collector",
  syscall: "system call",
  runnable: "runnable: waits for a CPU",
  lock: "waits for a lock",
  channel: "waits for a channel",
  network: "waits for the network",
  waiting: "other waits",
  unknown: "unknown",
};

/** Reports whether a colour means waiting, which is drawn paler than work. */
export function waits(key: ColourKey): boolean {
  return key === "lock" || key === "channel" || key === "network" || key === "waiting" || key === "unknown";
}

/** The colour of a state, by its group and, for waits, the name of the reason. */
export function colourOf(s: State | undefined): ColourKey {
  switch (s?.group) {
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

/** The colour of a range, by its name. */
export function rangeColour(name: string): ColourKey {
  return /stop-the-world|STW/.test(name) ? "stopped" : "gc";
}
