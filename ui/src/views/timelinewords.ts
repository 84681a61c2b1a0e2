import type { RowInfo, Span, State } from "../api/timeline.ts";
import type { LaneData } from "../lib/lane.ts";
import { duration } from "../lib/timescale.ts";
import { bareName, shortName } from "../lib/names.ts";
import type { RowType } from "../lib/timelinehash.ts";
import { timelineTexts } from "../texts/timeline.ts";

const { t } = timelineTexts;

/** The types of rows, by the first letter of their ids. */
const types: Readonly<Record<string, RowType>> = {
  c: "range",
  p: "proc",
  m: "thread",
  g: "goroutine",
  r: "request",
  t: "task",
  u: "region",
};

/** The type of a row, by its id. */
export function typeOf(id: string): RowType {
  return types[id[0]];
}

/** A short label of a row: its kind without directories, and its number or length. */
export function rowLabel(r: RowInfo): { main: string; more: string } {
  // For requests and tasks the length is more useful than an internal number.
  const timed = typeOf(r.id) === "request" || typeOf(r.id) === "task";
  const number = timed ? duration(r.to - r.from) : (/\d+$/.exec(r.name)?.[0] ?? "");
  if (timed) return { main: shortName(r.kind || r.name), more: number };
  if (typeOf(r.id) === "range") return { main: rangeLabel(r.name), more: "" };
  if (!r.kind) return { main: r.name, more: "" };
  return { main: shortName(r.kind), more: number };
}

/** A short label of a range, by its name. */
function rangeLabel(name: string): string {
  const why = /^stop-the-world \((.*)\)$/.exec(name)?.[1];
  return why === undefined ? name : t("stop", { why });
}

/** A row in one line. */
export function rowTitle(r: RowInfo): string {
  return r.kind && r.kind !== r.name ? `${r.name} · ${shortName(r.kind)}` : r.name;
}

/** The label of a span. */
export function spanLabel(row: RowInfo, s: Span, state: State | undefined, other: RowInfo | undefined): string {
  const type = typeOf(row.id);
  if (type === "proc") return other ? bareName(other.kind || other.name) : "";
  if (type === "thread") return s[4] > 0 ? `P ${s[4] - 1}` : "";
  if (type === "range" || type === "region") return row.name;
  return state?.name ?? "";
}

/** The id of the row that a span refers to, or "". */
export function otherOf(row: RowInfo, s: Span, state: State | undefined): string {
  if (s[4] === 0) return "";
  switch (typeOf(row.id)) {
    case "proc":
    case "range":
    case "region":
      return `g${s[4] - 1}`;
    case "thread":
      return `p${s[4] - 1}`;
  }
  return state?.group === "runnable" ? `g${s[4] - 1}` : `p${s[4] - 1}`;
}

/** The span that shows what woke the goroutine of a span, and where. */
export function wokenIn(d: LaneData, at: number, states: readonly State[]): Span | undefined {
  const runnable = (i: number) => (d.spans[i] && states[d.spans[i][2]]?.group === "runnable" ? d.spans[i] : undefined);
  if (runnable(at)) return runnable(at);
  const group = states[d.spans[at]?.[2]]?.group;
  return group === "running" ? runnable(at - 1) : runnable(at + 1);
}
