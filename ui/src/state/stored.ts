import { signal } from "@preact/signals";
import { get, ProblemError } from "../api/client.ts";
import type { Series, StoreSeries, Type, Warning } from "../api/v1.ts";
import { iso, rangeOf, usual, type Range } from "../lib/storetime.ts";
import { useLoad, type Loaded } from "./load.ts";
import { param } from "./route.ts";

/** The time at which ranges end that end now. */
export const now = signal(wholeSecond());

/** The time now, without the part of a second, which would only make addresses longer. */
export function wholeSecond(): number {
  return Math.floor(Date.now() / 1000) * 1000;
}

/** What the address selects of the store. */
export interface Selection {
  readonly query: string; // a selector; "" selects everything
  readonly kind: string;
  readonly type: string; // sample type; "" is the default
  readonly range: Range;
  readonly since: string; // the name of a range that ends now; "" for other ranges
}

/** The series of the store that a selector matches, at any time, and the types of their profiles. */
export type Stock = Loaded<{
  series: readonly StoreSeries[];
  types: readonly Type[];
  /** SelectionBar shows them, above everything else that depends on the selection. */
  warnings: readonly Warning[];
}> & { again: () => void };

export function useStock(): Stock {
  const query = param("query");
  return useLoad(JSON.stringify(["store series", query, now.value]), async (signal) => {
    const doc = await get<Series>("/store/series", { query }, signal);
    return { series: doc.series ?? [], types: doc.types ?? [], warnings: doc.warnings ?? [] };
  });
}

/** What is selected: without a kind, CPU profiles or else the first kind that there is. */
export function selection(stock: Stock): Selection {
  const types = stock.value?.types ?? [];
  const kind = param("kind") || (types.find((t) => t.kind === "cpu") ?? types[0])?.kind || "cpu";
  const fixed = param("from") !== "" && param("to") !== "";
  return {
    query: param("query"),
    kind,
    type: param("type"),
    range: rangeOf(param("since"), param("from"), param("to"), now.value),
    since: fixed ? "" : param("since") || usual,
  };
}

/** The parameters of a request for what is selected. */
export function request(
  s: Selection,
  range: Range = s.range,
): { query: string; kind: string; from: string; to: string } {
  return { query: s.query, kind: s.kind, from: iso(range.from), to: iso(range.to) };
}

/** Whether an error says that nothing stored matches. */
export function matchesNothing(error: unknown): boolean {
  return error instanceof ProblemError && error.status === 404;
}
