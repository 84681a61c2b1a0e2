import type { TimelineFrame } from "../api/timeline.ts";

/**
 * The origin of a frame's code: as Go determined it from the recording and --own or, where it could not, as far as a
 * trace shows it: traces have files, but no main module.
 */
export function frameKind(f: TimelineFrame): "own" | "std" | "dep" {
  if (f.kind === "own" || f.kind === "std" || f.kind === "dep") return f.kind;
  const path = f.function.split("/");
  const first = path.length > 1 ? path[0] : f.function.slice(0, Math.max(f.function.indexOf("."), 0));
  if (first !== "main" && !first.includes(".")) return "std";
  return /\/pkg\/mod\/|\/vendor\//.test(f.file) || f.function.startsWith("golang.org/x/") ? "dep" : "own";
}

/** The innermost own frame, else of a dependency, else outside the runtime, else the leaf; undefined without frames. */
export function ownFrame(frames: readonly TimelineFrame[]): TimelineFrame | undefined {
  return (
    frames.find((f) => frameKind(f) === "own") ??
    frames.find((f) => frameKind(f) === "dep") ??
    frames.find((f) => !f.function.startsWith("runtime.")) ??
    frames[0]
  );
}

/** The last two elements of a path, enough to identify a file. */
export function shortFile(file: string): string {
  return file.split("/").slice(-2).join("/");
}
