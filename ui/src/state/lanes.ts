import type { MarkRow, RowInfo, TimelineFrame } from "../api/timeline.ts";
import { laneData, suffices, type LaneData } from "../lib/lane.ts";
import { within, type Stretch } from "../lib/timescale.ts";
import type { TimelineSource } from "./timelinesource.ts";

/** The number of rows kept, and requested at once. */
const maxKept = 3000;
const maxAsked = 500;

/** How long the view must rest, in ms, before the next request while one is pending. */
const rest = 70;

/** How long to wait after the server refused a request before the same is requested again, in ms. */
const pause = 3000;

/** Marks of a goroutine in a window. */
export interface Marks extends Stretch {
  readonly names: readonly string[];
  /** There are more in the window. */
  readonly partial: boolean;
  readonly row: MarkRow;
}

/**
 * The data of the rows in view. `want` sets what to show; data in the cache can be shown at once,
 * the rest is requested, and `changed` is called when it arrives. Only the last call counts:
 * answers to earlier requests are dropped.
 */
export class Lanes {
  private readonly known = new Map<string, LaneData>();
  private readonly names = new Map<string, RowInfo | null>();
  private readonly stacks = new Map<number, TimelineFrame[] | null>();
  private asked: AbortController | null = null;
  private timer = 0;
  private wish: { ids: readonly string[]; w: Stretch; pixels: number } | null = null;
  /** The last error, or "". */
  trouble = "";

  constructor(
    private readonly source: TimelineSource,
    private readonly changed: () => void,
  ) {}

  get loading(): boolean {
    return this.asked !== null || this.timer !== 0;
  }

  lane(id: string): LaneData | undefined {
    return this.known.get(id);
  }

  want(ids: readonly string[], w: Stretch, pixels: number): void {
    this.wish = { ids, w, pixels };
    if (this.missing().length === 0) {
      this.stop();
      return;
    }
    if (this.refused !== "" && this.refused === this.request()) return; // it is requested again after a pause
    if (this.asked === null && this.timer === 0) {
      this.ask();
    } else if (this.asked !== null && this.timer === 0 && this.requested === this.request()) {
      return; // what is missing is on its way
    } else {
      clearTimeout(this.timer);
      this.timer = window.setTimeout(() => this.ask(), rest);
    }
  }

  private requested = "";
  private refused = ""; // the request that failed last, until it may be repeated

  /** Identifies what is missing. */
  private request(): string {
    const w = this.wish?.w;
    return JSON.stringify([w?.from, w?.to, this.wish?.pixels, this.missing().slice(0, maxAsked)]);
  }

  private stop(): void {
    clearTimeout(this.timer);
    this.timer = 0;
    this.asked?.abort();
    this.asked = null;
  }

  private missing(): string[] {
    if (!this.wish) return [];
    const { ids, w, pixels } = this.wish;
    return ids.filter((id) => {
      const d = this.known.get(id);
      return !d || !suffices(d, w, pixels);
    });
  }

  /** Whether a window, as wide as it is drawn, is still what is to be shown. */
  private shows(w: Stretch, pixels: number): boolean {
    const is = this.wish;
    return is?.w.from === w.from && is.w.to === w.to && is.pixels === pixels;
  }

  private ask(): void {
    this.stop();
    const ids = this.missing().slice(0, maxAsked);
    if (!this.wish || ids.length === 0) return;
    const { w, pixels } = this.wish;
    // Half a window more on both sides, so that small moves need no request.
    const half = (w.to - w.from) / 2;
    const wide = {
      from: Math.max(w.from - half, this.source.extent.from),
      to: Math.min(w.to + half, this.source.extent.to),
    };
    const { from, to } = within(wide, this.source.extent);
    const width = Math.min(Math.ceil((pixels * (to - from)) / (w.to - w.from)), 8000);
    const asked = new AbortController();
    this.asked = asked;
    this.requested = this.request();
    this.source.spans(ids, { from: Math.floor(from), to: Math.ceil(to) }, width, asked.signal).then(
      (answer) => {
        if (this.asked !== asked) return; // superseded by a later request
        this.asked = null;
        this.trouble = "";
        const came = new Map(answer.rows.map((r) => [r.id, r]));
        for (const id of ids) {
          this.known.delete(id); // move to the end: the first is the least recently used
          this.known.set(id, laneData(came.get(id) ?? { id }, Math.floor(from), Math.ceil(to), width));
        }
        for (const id of this.known.keys()) {
          if (this.known.size <= maxKept) break;
          this.known.delete(id);
        }
        // More rows of the same window need not wait for it to rest.
        if (this.missing().length > 0 && (ids.length === maxAsked || this.shows(w, pixels))) this.ask();
        this.changed();
      },
      (err: unknown) => {
        if (this.asked !== asked) return;
        this.asked = null;
        const refused = (this.refused = this.requested);
        this.later(err, () => {
          if (this.refused === refused) this.refused = "";
        });
      },
    );
  }

  /** Shows an error and, after a pause, lets what failed be requested again. */
  private later(err: unknown, again: () => void): void {
    this.trouble = err instanceof Error ? err.message : String(err);
    this.changed();
    window.setTimeout(() => {
      this.trouble = "";
      again();
      this.changed();
    }, pause);
  }

  private readonly close = new Map<string, LaneData>();
  private closeAsked = "";

  /**
   * The exact spans of a row around a short stretch if they are loaded; otherwise they are requested, unless others
   * are.
   */
  exact(id: string, s: Stretch): LaneData | undefined {
    const { from, to } = { from: Math.max(Math.floor(s.from), 0), to: Math.ceil(s.to) };
    const key = `${id} ${from} ${to}`;
    const is = this.close.get(key);
    if (is || this.closeAsked !== "") return is;
    this.closeAsked = key;
    const width = 2000;
    this.source.spans([id], { from, to }, width, new AbortController().signal).then(
      (answer) => {
        this.closeAsked = "";
        for (const old of this.close.keys()) {
          if (this.close.size < 200) break;
          this.close.delete(old);
        }
        this.close.set(key, laneData(answer.rows[0] ?? { id }, from, to, width));
        this.changed();
      },
      // The part is shown instead.
      (err: unknown) => this.later(err, () => (this.closeAsked = "")),
    );
    return undefined;
  }

  /** The row of an id if it is loaded; otherwise it is requested with the others. */
  name(id: string): RowInfo | undefined {
    const is = this.names.get(id);
    if (is === undefined) {
      if (this.unnamed.size === 0) window.setTimeout(() => this.askNames(), 0);
      if (this.unnamed.size < maxAsked) this.unnamed.add(id);
    }
    return is ?? undefined;
  }

  private readonly unnamed = new Set<string>();

  /** Adds rows that are already loaded. */
  learn(rows: readonly RowInfo[]): void {
    for (const r of rows) this.names.set(r.id, r);
  }

  private askNames(): void {
    const ids = [...this.unnamed];
    this.unnamed.clear();
    for (const id of ids) this.names.set(id, null); // requested
    this.source.named(ids).then(
      (rows) => {
        this.learn(rows);
        this.changed();
      },
      (err: unknown) =>
        this.later(err, () => {
          for (const id of ids) if (this.names.get(id) === null) this.names.delete(id);
        }),
    );
  }

  /** The frames of a stack if they are loaded; undefined while they are requested. */
  stack(n: number): TimelineFrame[] | undefined {
    if (n === 0) return [];
    const is = this.stacks.get(n);
    if (is) return is;
    if (is === undefined) {
      if (this.wanted.size === 0) window.setTimeout(() => this.askStacks(), 0);
      if (this.wanted.size < maxAsked) this.wanted.add(n);
    }
    return undefined;
  }

  private readonly wanted = new Set<number>(); // stacks to request

  private askStacks(): void {
    const ns = [...this.wanted];
    this.wanted.clear();
    for (const n of ns) this.stacks.set(n, null); // requested
    this.source.stacks(ns).then(
      (all) => {
        ns.forEach((n, i) => this.stacks.set(n, all[i] ?? []));
        this.changed();
      },
      (err: unknown) =>
        this.later(err, () => {
          for (const n of ns) this.stacks.delete(n);
        }),
    );
  }

  private readonly marked = new Map<string, Marks>();
  private marksAsked = false;

  /** What the program recorded of goroutines, and their samples, if they are loaded for a window. */
  marks(ids: readonly string[], w: Stretch, pixels: number): void {
    const missing = ids.filter((id) => {
      const m = this.marked.get(id);
      const fine = m && m.from <= Math.ceil(w.from) && m.to >= Math.floor(w.to);
      return !fine || (m.partial && m.to - m.from > 2.5 * (w.to - w.from));
    });
    if (missing.length === 0 || this.marksAsked) return;
    this.marksAsked = true;
    const half = (w.to - w.from) / 2;
    const { from, to } = within({ from: w.from - half, to: w.to + half }, this.source.extent);
    const s = {
      from: Math.max(Math.floor(Math.max(w.from - half, this.source.extent.from)), Math.floor(from)),
      to: Math.min(Math.ceil(Math.min(w.to + half, this.source.extent.to)), Math.ceil(to)),
    };
    this.source.marks(missing.slice(0, maxAsked), s, Math.min(Math.ceil(pixels * 2), 8000)).then(
      (a) => {
        this.marksAsked = false;
        for (const r of a.rows)
          this.marked.set(r.id, { from: s.from, to: s.to, names: a.names, partial: a.partial > 0, row: r });
        this.changed();
      },
      (err: unknown) => this.later(err, () => (this.marksAsked = false)),
    );
  }

  marksOf(id: string): Marks | undefined {
    return this.marked.get(id);
  }
}
