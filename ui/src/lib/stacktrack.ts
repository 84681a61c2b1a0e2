import type { Span, State, TimelineFrame } from "../api/timeline.ts";

/** A call of the stack track: what a goroutine did from one time to another. */
export interface TrackBox {
  readonly from: number;
  readonly to: number;
  /** 0 is the outermost call. */
  readonly depth: number;
  readonly frame: TimelineFrame;
}

/**
 * The calls of a goroutine over time: while it waits, the stack at which it stopped; while it runs, that of the CPU
 * sample at or before each moment. Equal calls that follow each other at the same depth are one box. Stacks that are
 * not loaded are left out.
 */
export function stackTrack(
  spans: readonly Span[],
  samples: readonly (readonly number[])[],
  states: readonly State[],
  stackOf: (n: number) => readonly TimelineFrame[] | undefined,
  most: number,
): TrackBox[] {
  const open: { from: number; to: number; frame: TimelineFrame }[] = [];
  const out: TrackBox[] = [];
  const close = (depth: number) => {
    while (open.length > depth) {
      const last = open.pop();
      if (last) out.push({ ...last, depth: open.length });
    }
  };
  const put = (from: number, to: number, stack: number) => {
    const frames = stack > 0 ? stackOf(stack) : undefined;
    if (!frames || frames.length === 0 || to <= from) return;
    let depth = 0;
    for (let i = frames.length - 1; i >= 0 && depth < most; i--, depth++) {
      const frame = frames[i] as TimelineFrame;
      const is = open[depth];
      if (is && is.to >= from && is.frame.function === frame.function) is.to = to;
      else {
        close(depth);
        open.push({ from, to, frame });
      }
    }
    close(depth);
  };
  let k = 0;
  for (const [from, to, state, stack] of spans) {
    const group = states[state]?.group;
    if (group === "runnable" || group === "unknown") continue; // its stack is that of another one, or none
    if (group !== "running") {
      put(from, to, stack);
      continue;
    }
    while (k < samples.length && (samples[k]?.[0] ?? 0) < from) k++;
    let at = from;
    while (k < samples.length && (samples[k]?.[0] ?? 0) < to) {
      const next = Math.min(samples[k + 1]?.[0] ?? to, to);
      put(at, next, samples[k]?.[1] ?? 0);
      at = next;
      k++;
    }
  }
  close(0);
  return out.sort((a, b) => a.from - b.from || a.depth - b.depth);
}
