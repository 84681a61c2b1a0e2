/** The rows of a timeline as a table: what they are, and their time in each state. No DOM. */
import type { RowInfo, SpanAnswer, State } from "../api/timeline.ts";
import { laneData, sums } from "./lane.ts";
import type { Stretch } from "./timescale.ts";

export interface TimelineRow {
  readonly type: string;
  readonly id: string;
  readonly name: string;
  readonly kind: string;
  /** When it begins and ends, in ns since the start of the trace. */
  readonly from: number;
  readonly to: number;
  /** ns in the window, by the name of the state. */
  readonly time: Readonly<Record<string, number>>;
}

/** The rows of a type with their time in a window. */
export function timelineRows(
  type: string,
  rows: readonly RowInfo[],
  answers: readonly SpanAnswer[],
  states: readonly State[],
  w: Stretch,
): TimelineRow[] {
  const data = new Map(
    answers.flatMap((a) => a.rows.map((r) => [r.id, laneData(r, a.from, a.to, a.width)] as const)),
  );
  return rows.map((r) => {
    const lane = data.get(r.id);
    const time: Record<string, number> = {};
    for (const [state, ns] of lane ? sums(lane, w) : []) {
      const name = states[state]?.name ?? String(state);
      time[name] = Math.round((time[name] ?? 0) + ns);
    }
    return { type, id: r.id, name: r.name, kind: r.kind, from: r.from, to: r.to, time };
  });
}

/** The rows as cells: a column for each state that occurs. */
export function timelineCells(rows: readonly TimelineRow[]): (string | number)[][] {
  const states = [...new Set(rows.flatMap((r) => Object.keys(r.time)))].sort();
  return [
    ["type", "id", "name", "kind", "from_ns", "to_ns", ...states.map((s) => `${s}_ns`)],
    ...rows.map((r) => [r.type, r.id, r.name, r.kind, r.from, r.to, ...states.map((s) => r.time[s] ?? 0)]),
  ];
}
