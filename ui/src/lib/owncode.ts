import type { TimelineFrame } from "../api/timeline.ts";

/** Whose code a frame is, as far as a trace tells: it knows files, and no main module. */
export function frameKind(f: TimelineFrame): "own" | "std" | "dep" {
  const path = f.function.split("/");
  const first = path.length > 1 ? path[0] : f.function.slice(0, Math.max(f.function.indexOf("."), 0));
  if (first !== "main" && !first.includes(".")) return "std";
  return /\/pkg\/mod\/|\/vendor\//.test(f.file) || f.function.startsWith("golang.org/x/") ? "dep" : "own";
}

/** The innermost frame of own code, else of a dependency, else outside of the runtime, else the leaf; undefined without frames. */
export function ownFrame(frames: readonly TimelineFrame[]): TimelineFrame | undefined {
  return frames.find((f) => frameKind(f) === "own") ?? frames.find((f) => frameKind(f) === "dep") ?? frames.find((f) => !f.function.startsWith("runtime.")) ?? frames[0];
}

/** A file's last two parts: enough to tell it. */
export function shortFile(file: string): string {
  return file.split("/").slice(-2).join("/");
}
