import type { RowInfo } from "../api/timeline.ts";
import type { Order, SectionState } from "../lib/timelinehash.ts";
import type { Stretch } from "../lib/timescale.ts";
import type { TimelineSource } from "../state/timelinesource.ts";
import { h } from "./dom.ts";
import { typeNames } from "./timelinewords.ts";

/** The number of rows on a page of a section; sections without pages show all, up to a limit. */
const pageRows: Readonly<Record<string, number>> = { goroutine: 40, request: 10, task: 20, region: 20 };
const allRows = 1000;

/** Of rows that are scrolled through: how many at most, as the server does, and how many are loaded at once. */
const mostScrolled = 100_000;
const loadedRows = 200;

const orders: Readonly<Record<string, readonly (readonly [Order, string])[]>> = {
  goroutine: [
    ["busy", "busiest first"],
    ["long", "longest first"],
    ["time", "by start"],
  ],
  request: [
    ["long", "slowest first"],
    ["time", "by start"],
  ],
  task: [
    ["long", "longest first"],
    ["time", "by start"],
  ],
};

/** The rows of one type with their heading and controls. */
export class Section {
  readonly el: HTMLElement;
  rows: readonly RowInfo[] = [];
  total = -1; // not loaded yet
  /** Of the first row, among all; and how many of them there is room for. */
  first = 0;
  room = 0;
  /** The height of what is between the heading and the rows. */
  extra = 0;

  private readonly toggle: HTMLButtonElement;
  private readonly count = h("span", { class: "count" });
  private readonly controls = h("span", { class: "controls" });
  private readonly search: HTMLInputElement;
  private readonly order: HTMLSelectElement;
  private readonly here: HTMLInputElement;
  private readonly back: HTMLButtonElement;
  private readonly next: HTMLButtonElement;
  private readonly all: HTMLButtonElement;
  private readonly trouble = h("span", { class: "trouble", role: "alert" });
  private state: SectionState | null = null;
  private asked: AbortController | null = null;
  private shown = "";
  private list = ""; // what is shown, without the page
  private timer = 0; // for typed text that is not searched for yet; 0: none

  constructor(
    readonly type: string,
    private readonly source: TimelineSource,
    private readonly set: (s: Partial<SectionState>) => void,
    private readonly changed: (rows: readonly RowInfo[]) => void,
  ) {
    const [, title] = typeNames[type];
    const [one] = typeNames[type];
    this.toggle = h(
      "button",
      { type: "button", class: "plain toggle", onclick: () => this.set({ open: !this.state?.open }) },
      title,
    );
    this.search = h("input", {
      type: "search",
      placeholder: `${one}s: regular expression`,
      "aria-label": `Search ${one}s by a regular expression`,
      spellcheck: "false",
      oninput: () => {
        clearTimeout(this.timer);
        this.timer = window.setTimeout(() => {
          this.timer = 0;
          this.set({ query: this.search.value, skip: 0 });
        }, 250);
      },
    });
    this.order = h(
      "select",
      { "aria-label": `Order of ${one}s`, onchange: () => this.set({ order: this.order.value as Order, skip: 0 }) },
      ...(orders[type] ?? []).map(([value, text]) => h("option", { value }, text)),
    );
    this.here = h("input", { type: "checkbox", onchange: () => this.set({ here: this.here.checked, skip: 0 }) });
    const page = (by: number) => () => this.set({ skip: Math.max((this.state?.skip ?? 0) + by * this.limit, 0) });
    this.back = h(
      "button",
      { type: "button", title: `previous ${one}s`, "aria-label": `previous ${one}s`, onclick: page(-1) },
      "‹",
    );
    this.next = h(
      "button",
      { type: "button", title: `next ${one}s`, "aria-label": `next ${one}s`, onclick: page(1) },
      "›",
    );
    this.all = h(
      "button",
      {
        type: "button",
        title: `scroll through all ${one}s, not page by page`,
        onclick: () => this.set({ all: !this.state?.all, skip: 0 }),
      },
      "all",
    );
    if (type in pageRows) {
      this.controls.append(this.search);
      if (orders[type]) this.controls.append(this.order);
      this.controls.append(
        h("label", { title: "Only rows that exist in the window" }, this.here, h("span", {}, "in the window")),
        this.back,
        this.next,
        this.all,
      );
    }
    this.el = h(
      "div",
      { class: "section", role: "group", "aria-label": title, "data-type": type },
      this.toggle,
      this.count,
      this.controls,
      this.trouble,
    );
  }

  private get limit(): number {
    return this.scrolled ? loadedRows : (pageRows[this.type] ?? allRows);
  }

  /** All rows are scrolled through. */
  get scrolled(): boolean {
    return this.state !== null && this.state.open && this.state.all && this.type in pageRows;
  }

  /** Loads the rows around some that are in view. */
  need(from: number, to: number, window: Stretch): void {
    const end = Math.min(to, this.room);
    if (!this.state || this.total < 0 || (from >= this.first && end <= this.first + this.rows.length)) return;
    const page = loadedRows / 4;
    const first = Math.max(Math.floor((from + end) / 2 / page) * page - loadedRows / 2 + page / 2, 0);
    const last = Math.max(mostScrolled - loadedRows, 0);
    this.start = Math.min(Math.round(first), last);
    this.show(this.state, window);
  }

  private start = 0; // of the rows to load, if they are scrolled through

  /** Shows an element between the heading and the rows, of a height in pixels. */
  above(el: HTMLElement, height: number): void {
    this.extra = height;
    this.el.append(el);
  }

  /** Focuses the search. */
  find(): void {
    this.search.focus();
    this.search.select();
  }

  /** Shows a state, and requests its rows if they differ. */
  show(s: SectionState, window: Stretch): void {
    this.state = s;
    this.el.classList.toggle("shut", !s.open);
    this.toggle.setAttribute("aria-expanded", String(s.open));
    this.controls.hidden = !s.open;
    if (this.timer === 0 && document.activeElement !== this.search) this.search.value = s.query;
    this.order.value = s.order;
    this.here.checked = s.here;
    this.all.setAttribute("aria-pressed", String(s.all));
    this.back.hidden = this.next.hidden = s.all;
    if (!s.open) {
      this.rows = [];
      this.room = 0;
      this.shown = "";
      this.asked?.abort();
      this.words();
      return;
    }
    const where = s.here ? { from: Math.floor(window.from), to: Math.ceil(window.to) } : null;
    const list = JSON.stringify([s.query, s.order, s.all, where]);
    if (list !== this.list) this.start = 0;
    this.list = list;
    const skip = this.scrolled ? this.start : s.skip;
    const key = JSON.stringify([list, skip]);
    if (key === this.shown) return;
    this.shown = key;
    this.asked?.abort();
    const asked = new AbortController();
    this.asked = asked;
    this.words();
    this.source
      .rows(
        { type: this.type, match: s.query, order: s.order, skip, limit: this.limit, window: where },
        asked.signal,
      )
      .then(
        (list) => {
          if (this.asked !== asked) return;
          this.asked = null;
          this.rows = list.rows;
          this.first = skip;
          this.total = list.total;
          this.room = this.scrolled ? Math.min(list.total, mostScrolled) : list.rows.length;
          this.trouble.textContent = "";
          this.words();
          this.changed(list.rows);
        },
        (err: unknown) => {
          if (this.asked !== asked) return;
          this.asked = null;
          this.shown = ""; // the next change of the view requests them again
          this.trouble.textContent = err instanceof Error ? err.message : String(err);
          this.words();
        },
      );
  }

  private words(): void {
    const skip = this.scrolled ? 0 : (this.state?.skip ?? 0);
    const [from, to] = [skip + 1, skip + this.room];
    let text = "";
    if (this.asked && this.total < 0) text = "…";
    else if (this.state?.open && this.total === 0) text = "none";
    else if (this.state?.open && this.total >= 0)
      text =
        this.room < this.total
          ? `${from.toLocaleString("en")}–${to.toLocaleString("en")} of ${this.total.toLocaleString("en")}`
          : String(this.total);
    this.count.textContent = text;
    this.back.disabled = skip === 0;
    this.next.disabled = to >= this.total;
  }
}
