import type { Point, RowInfo, RowList, SpanAnswer, TimelineDoc, TimelineFrame, Trace } from "../api/timeline.ts";
import { clean } from "../lib/clean.ts";
import { thin } from "../lib/lane.ts";
import { re2 } from "../lib/re2.ts";
import type { Order } from "../lib/timelinehash.ts";
import type { Stretch } from "../lib/timescale.ts";

export interface RowQuery {
  readonly type: string;
  readonly match: string;
  readonly order: Order;
  readonly skip: number;
  readonly limit: number;
  /** Only rows that exist in it; null: all. */
  readonly window: Stretch | null;
}

/** The source of a timeline's data: a server, or the page itself. */
export interface TimelineSource {
  readonly trace: Trace;
  /** The part of the trace that can be shown. */
  readonly extent: Stretch;
  /** A note above the picture, or "". */
  readonly note: string;
  rows(q: RowQuery, signal: AbortSignal): Promise<RowList>;
  named(ids: readonly string[]): Promise<RowInfo[]>;
  spans(ids: readonly string[], w: Stretch, width: number, signal: AbortSignal): Promise<SpanAnswer>;
  metric(name: string, w: Stretch, width: number): Promise<Point[]>;
  stack(n: number): Promise<TimelineFrame[]>;
}

/** The server that the page came from. */
export class ServerSource implements TimelineSource {
  readonly extent: Stretch;
  readonly note = "";

  private constructor(readonly trace: Trace) {
    this.extent = { from: 0, to: Math.max(trace.duration, 1) };
  }

  static async open(): Promise<ServerSource> {
    const trace = await get<Trace>("trace", {});
    return new ServerSource(cleanTrace(trace));
  }

  rows(q: RowQuery, signal: AbortSignal): Promise<RowList> {
    const { type, match, order, skip, limit } = q;
    const window = q.window ? ends(q.window) : {};
    return get<RowList>("rows", { type, match, order, skip, limit, ...window }, signal).then((list) => ({
      ...list,
      rows: list.rows.map(cleanRow),
    }));
  }

  named(ids: readonly string[]): Promise<RowInfo[]> {
    return get<RowList>("rows", { ids: ids.join(",") }).then((list) => list.rows.map(cleanRow));
  }

  spans(ids: readonly string[], w: Stretch, width: number, signal: AbortSignal): Promise<SpanAnswer> {
    return get("spans", { ...ends(w), width, ids: ids.join(",") }, signal);
  }

  metric(name: string, w: Stretch, width: number): Promise<Point[]> {
    return get("metric", { name, ...ends(w), width });
  }

  stack(n: number): Promise<TimelineFrame[]> {
    return get<TimelineFrame[]>("stack", { n }).then((frames) =>
      frames.map((f) => ({ ...f, function: clean(f.function), file: clean(f.file) })),
    );
  }
}

function cleanRow(r: RowInfo): RowInfo {
  return { ...r, name: clean(r.name), kind: clean(r.kind) };
}

/** The names of states are the reasons that the trace gives. */
function cleanTrace(t: Trace): Trace {
  return {
    ...t,
    name: clean(t.name),
    states: t.states.map((s) => ({ ...s, name: clean(s.name) })),
    ...(t.damage ? { damage: clean(t.damage) } : {}),
  };
}

function ends(w: Stretch): { from: number; to: number } {
  return { from: Math.max(Math.floor(w.from), 0), to: Math.ceil(w.to) };
}

async function get<T>(
  path: string,
  params: Record<string, string | number>,
  signal: AbortSignal | null = null,
): Promise<T> {
  const query = new URLSearchParams(Object.entries(params).map(([k, v]): [string, string] => [k, String(v)]));
  const answer = await fetch(`api/${path}?${query}`, { signal });
  const body: unknown = await answer.json();
  if (!answer.ok) throw new Error((body as { error?: string }).error ?? `the server answers ${answer.status}`);
  return body as T;
}

/** The data within a page without a server. */
export class PageSource implements TimelineSource {
  readonly trace: Trace;
  readonly extent: Stretch;
  readonly note: string;
  private readonly lists: readonly RowList[];
  private readonly byID = new Map<string, RowInfo>();

  constructor(private readonly doc: TimelineDoc) {
    this.extent = { from: doc.from, to: Math.max(doc.to, doc.from + 1) };
    const held: string[] = [];
    const types = doc.trace.types.map(({ type }) => {
      const list = doc.rows.find((l) => l.type === type);
      if (list && list.total > list.rows.length)
        held.push(`${list.rows.length} of ${list.total.toLocaleString("en")} ${type}s`);
      return { type, count: list?.total ?? 0 };
    });
    this.trace = { ...cleanTrace(doc.trace), types };
    this.note =
      held.length > 0
        ? `This page contains ${held.join(", ")} of its window; whet trace timeline without -o serves the whole trace.`
        : "";
    this.lists = doc.rows; // which filters match as the server has them
    for (const r of [...doc.rows.flatMap((list) => list.rows), ...doc.named]) this.byID.set(r.id, cleanRow(r));
  }

  async rows(q: RowQuery): Promise<RowList> {
    const match = re2(q.match);
    const w = q.window;
    const all = (this.lists.find((l) => l.type === q.type)?.rows ?? []).filter(
      (r) => (!w || (r.from < w.to && r.to > w.from)) && (q.match === "" || match.test(r.kind) || match.test(r.name)),
    );
    if (q.order === "time") all.sort((a, b) => a.from - b.from);
    if (q.order === "long") all.sort((a, b) => b.to - b.from - (a.to - a.from));
    return { type: q.type, total: all.length, rows: all.slice(q.skip, q.skip + q.limit).map(cleanRow) };
  }

  async named(ids: readonly string[]): Promise<RowInfo[]> {
    return ids.map((id) => this.byID.get(id)).filter((r) => r !== undefined);
  }

  async spans(ids: readonly string[], w: Stretch, width: number): Promise<SpanAnswer> {
    const want = new Set(ids);
    const rows = this.doc.spans.rows.filter((r) => want.has(r.id)).map((r) => thin(r, w, width));
    return { from: w.from, to: w.to, width, rows };
  }

  async metric(name: string): Promise<Point[]> {
    return this.doc.metrics.find((m) => m.name === name)?.points ?? [];
  }

  async stack(n: number): Promise<TimelineFrame[]> {
    const found = this.doc.stacks.find((s) => s.stack === n);
    return (found?.frames ?? []).map((i) => this.doc.frames[i]).filter((f) => f !== undefined);
  }
}
