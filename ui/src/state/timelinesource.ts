import type {
  ClassInfo,
  Frame,
  MarkAnswer,
  Point,
  RowInfo,
  RowList,
  Span,
  SpanAnswer,
  StackAnswer,
  StayAnswer,
  TimelineDoc,
  TimelineFrame,
  Trace,
  UtilizationAnswer,
} from "../api/timeline.ts";
import { clean } from "../lib/clean.ts";
import { overlapping, thin } from "../lib/lane.ts";
import { staysOf } from "../lib/stays.ts";
import { re2 } from "../lib/re2.ts";
import type { Order } from "../lib/timelinehash.ts";
import type { Stretch } from "../lib/timescale.ts";
import { timelineTexts } from "../texts/timeline.ts";

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
  /** Calls told with true when the server stops answering, and with false when it answers again. */
  watch(told: (lost: boolean) => void): void;
  rows(q: RowQuery, signal: AbortSignal): Promise<RowList>;
  named(ids: readonly string[]): Promise<RowInfo[]>;
  spans(ids: readonly string[], w: Stretch, width: number, signal: AbortSignal): Promise<SpanAnswer>;
  metric(name: string, w: Stretch, width: number): Promise<Point[]>;
  stacks(ns: readonly number[]): Promise<TimelineFrame[][]>;
  /** Regions, messages and samples of goroutines. */
  marks(ids: readonly string[], w: Stretch, width: number): Promise<MarkAnswer>;
  /** Spans of a state, -1 for all, of some goroutines, or of all; or those of one range or region. */
  stays(ids: readonly string[], w: Stretch, state: number, limit: number): Promise<StayAnswer>;
  /** The stacks of some goroutines, or of all, by CPU samples or by waits. */
  weights(ids: readonly string[], w: Stretch, by: "cpu" | "wait"): Promise<StackAnswer>;
  classes(): Promise<ClassInfo[]>;
  utilization(): Promise<UtilizationAnswer>;
}

/** How long to wait for a server that does not answer before asking it again, in ms. */
const pause = 2000;

/** The server that the page came from. Requests that it does not answer are sent again until it does. */
export class ServerSource implements TimelineSource {
  readonly extent: Stretch;
  readonly note = "";

  private constructor(
    readonly trace: Trace,
    private readonly file: string,
  ) {
    this.extent = { from: 0, to: Math.max(trace.duration, 1) };
  }

  /** The timeline of a file of the server, or of the only one that it has. */
  static async open(file = ""): Promise<ServerSource> {
    return ServerSource.of(await get<Trace>("trace", named(file)), file);
  }

  /** The same, of a trace that the server has described. */
  static of(trace: Trace, file = ""): ServerSource {
    return new ServerSource(cleanTrace(trace), file);
  }

  private waiting: Promise<void> | null = null; // for a server that does not answer
  private told: (lost: boolean) => void = () => undefined;

  watch(told: (lost: boolean) => void): void {
    this.told = told;
  }

  private async get<T>(
    path: string,
    params: Record<string, string | number>,
    signal: AbortSignal | null = null,
  ): Promise<T> {
    for (;;) {
      while (this.waiting) await this.waiting;
      try {
        const answer = await get<T>(path, { ...named(this.file), ...params }, signal);
        this.told(false);
        return answer;
      } catch (err) {
        const lost = err instanceof TypeError; // of fetch: there is no answer
        if (!signal?.aborted) this.told(lost);
        if (!lost) throw err;
        this.waiting ??= new Promise((done) =>
          setTimeout(() => {
            this.waiting = null;
            done();
          }, pause),
        );
      }
    }
  }

  rows(q: RowQuery, signal: AbortSignal): Promise<RowList> {
    const { type, match, order, skip, limit } = q;
    const window = q.window ? ends(q.window) : {};
    return this.get<RowList>("rows", { type, match, order, skip, limit, ...window }, signal).then((list) => ({
      ...list,
      rows: list.rows.map(cleanRow),
    }));
  }

  named(ids: readonly string[]): Promise<RowInfo[]> {
    return this.get<RowList>("rows", { ids: ids.join(",") }).then((list) => list.rows.map(cleanRow));
  }

  spans(ids: readonly string[], w: Stretch, width: number, signal: AbortSignal): Promise<SpanAnswer> {
    return this.get("spans", { ...ends(w), width, ids: ids.join(",") }, signal);
  }

  metric(name: string, w: Stretch, width: number): Promise<Point[]> {
    return this.get("metric", { name, ...ends(w), width });
  }

  stacks(ns: readonly number[]): Promise<TimelineFrame[][]> {
    return this.get<TimelineFrame[][]>("frames", { ids: ns.join(",") }).then((all) =>
      all.map((frames) => frames.map(cleanFrame)),
    );
  }

  marks(ids: readonly string[], w: Stretch, width: number): Promise<MarkAnswer> {
    return this.get<MarkAnswer>("marks", { ids: ids.join(","), ...ends(w), width }).then(cleanMarks);
  }

  stays(ids: readonly string[], w: Stretch, state: number, limit: number): Promise<StayAnswer> {
    return this.get("stays", { ids: ids.join(","), ...ends(w), state, limit });
  }

  weights(ids: readonly string[], w: Stretch, by: "cpu" | "wait"): Promise<StackAnswer> {
    return this.get<StackAnswer>("stacks", { ids: ids.join(","), ...ends(w), by }).then(cleanWeights);
  }

  classes(): Promise<ClassInfo[]> {
    return this.get<ClassInfo[]>("classes", {}).then((all) => all.map(cleanClass));
  }

  utilization(): Promise<UtilizationAnswer> {
    return this.get("utilization", {});
  }
}

function cleanFrame<F extends Frame>(f: F): F {
  return { ...f, function: clean(f.function), file: clean(f.file) };
}

function cleanMarks(a: MarkAnswer): MarkAnswer {
  return {
    ...a,
    names: a.names.map(clean),
    rows: a.rows.map((r) => ({
      ...r,
      logs: r.logs.map((l) => ({ ...l, category: clean(l.category), text: clean(l.text) })),
    })),
  };
}

function cleanWeights(a: StackAnswer): StackAnswer {
  return { ...a, frames: a.frames.map(cleanFrame) };
}

function cleanClass(c: ClassInfo): ClassInfo {
  return { ...c, name: clean(c.name) };
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

/** The parameter for a file; none without one. */
function named(file: string): Record<string, string> {
  return file === "" ? {} : { file };
}

async function get<T>(
  path: string,
  params: Record<string, string | number>,
  signal: AbortSignal | null = null,
): Promise<T> {
  const query = new URLSearchParams(Object.entries(params).map(([k, v]): [string, string] => [k, String(v)]));
  const answer = await fetch(`/api/v1/timeline/${path}?${query}`, { signal });
  const body: unknown = await answer.json();
  if (!answer.ok) {
    const { detail, hint } = body as { detail?: string; hint?: string };
    const told = [detail, hint].filter(Boolean).join(". ");
    throw new Error(told || timelineTexts.t("answered", { status: answer.status }));
  }
  return body as T;
}

/** The data within a page without a server. */
export class PageSource implements TimelineSource {
  readonly trace: Trace;
  readonly extent: Stretch;
  readonly note: string;
  private readonly lists: readonly RowList[];
  private readonly byID = new Map<string, RowInfo>();
  private readonly kinds = new Map<number, string>(); // of goroutines
  private readonly functions = new Map<string, number>(); // states

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
    for (const r of [...doc.rows.flatMap((list) => list.rows), ...doc.named]) {
      this.byID.set(r.id, cleanRow(r));
      if (r.id.startsWith("g")) this.kinds.set(Number(r.id.slice(1)), r.kind);
    }
    doc.trace.states.forEach((s, i) => {
      if (s.group === "function") this.functions.set(s.name, i);
    });
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

  watch(): void {
    // It has all data.
  }

  async named(ids: readonly string[]): Promise<RowInfo[]> {
    return ids.map((id) => this.byID.get(id)).filter((r) => r !== undefined);
  }

  async spans(ids: readonly string[], w: Stretch, width: number): Promise<SpanAnswer> {
    const want = new Set(ids);
    const rows = this.doc.spans.rows
      .filter((r) => want.has(r.id))
      .map((r) => (r.id.startsWith("p") ? thin(r, w, width, (s) => this.functionState(s)) : thin(r, w, width)));
    return { from: w.from, to: w.to, width, rows };
  }

  /** The state of a processor's span by function, as parts of the server's have it. */
  private functionState(s: Span): number {
    const kind = this.doc.trace.states[s[2]]?.group === "running" ? this.kinds.get(s[4] - 1) : undefined;
    return (kind === undefined ? undefined : this.functions.get(kind)) ?? s[2];
  }

  async metric(name: string): Promise<Point[]> {
    return this.doc.metrics.find((m) => m.name === name)?.points ?? [];
  }

  async stacks(ns: readonly number[]): Promise<TimelineFrame[][]> {
    return ns.map((n) => {
      const found = this.doc.stacks.find((s) => s.stack === n);
      return (found?.frames ?? [])
        .map((i) => this.doc.frames[i])
        .filter((f) => f !== undefined)
        .map(cleanFrame);
    });
  }

  async marks(ids: readonly string[], w: Stretch): Promise<MarkAnswer> {
    const { marks } = this.doc;
    const byID = new Map(marks.rows.map((r) => [r.id, r]));
    const within = (from: number, to: number) => from < w.to && to > w.from;
    return cleanMarks({
      ...marks,
      from: w.from,
      to: w.to,
      rows: ids.map((id) => {
        const r = byID.get(id) ?? { id, regions: [], logs: [], samples: [] };
        return {
          id,
          regions: r.regions.filter(([from, to]) => within(from as number, to as number)),
          logs: r.logs.filter((l) => within(l.at, l.at + 1)),
          samples: r.samples.filter(([at]) => within(at as number, (at as number) + 1)),
        };
      }),
    });
  }

  async stays(ids: readonly string[], w: Stretch, state: number, limit: number): Promise<StayAnswer> {
    const rows = this.doc.spans.rows.filter((r) => (ids.length > 0 ? ids.includes(r.id) : r.id.startsWith("g")));
    return staysOf(rows, w, state, limit, ids.length > 0 ? 0 : 1);
  }

  async weights(ids: readonly string[], w: Stretch, by: "cpu" | "wait"): Promise<StackAnswer> {
    const whole = this.doc.weights.find((a) => a.by === by);
    if (whole && ids.length === 0 && w.from <= this.extent.from && w.to >= this.extent.to) return cleanWeights(whole);
    // Of the rows in the page, as far as their spans are known.
    const sums = new Map<string, number>();
    const add = (stack: number, state: number, value: number) => {
      const key = `${stack} ${state}`;
      sums.set(key, (sums.get(key) ?? 0) + value);
    };
    const chosen = (id: string) => (ids.length > 0 ? ids.includes(id) : id.startsWith("g"));
    let partial = ids.length > 0 ? 0 : 1;
    if (by === "cpu") {
      for (const r of this.doc.marks.rows)
        if (chosen(r.id)) for (const [at, stack] of r.samples) if (at >= w.from && at < w.to) add(stack, 1, 1);
    } else {
      for (const r of this.doc.spans.rows) {
        if (!chosen(r.id)) continue;
        if (r.parts && r.parts.length > 0) partial = 1;
        overlapping(r.spans ?? [], 0, w, ([from, to, state, stack]) => {
          const group = this.trace.states[state]?.group;
          if (group !== "running" && group !== "unknown")
            add(group === "runnable" ? 0 : stack, state, Math.min(to, w.to) - Math.max(from, w.from));
        });
      }
    }
    let total = 0;
    const stacks = [...sums].map(([key, value]) => {
      total += value;
      const [stack, state] = key.split(" ").map(Number) as [number, number];
      return { frames: this.doc.stacks.find((s) => s.stack === stack)?.frames ?? [], state, value };
    });
    return cleanWeights({
      by,
      total,
      frames: this.doc.frames,
      stacks: stacks.sort((a, b) => b.value - a.value),
      partial,
    });
  }

  async classes(): Promise<ClassInfo[]> {
    return this.doc.classes.map(cleanClass);
  }

  async utilization(): Promise<UtilizationAnswer> {
    return this.doc.utilization;
  }
}
