import type { RowInfo } from "../api/timeline.ts";
import type { Order, RowType, SectionState } from "../lib/timelinehash.ts";
import type { Stretch } from "../lib/timescale.ts";
import type { TimelineSource } from "../state/timelinesource.ts";
import { timelineTexts, type TimelineTexts } from "../texts/timeline.ts";
import { h } from "./dom.ts";

const { number, t } = timelineTexts;

/** The number of rows on a page of a section; sections without pages show all, up to a limit. */
const pageRows = { goroutine: 40, request: 10, task: 20, region: 20 };
type Paged = keyof typeof pageRows;
const allRows = 1000;

/** Whether the rows of a type have pages. */
function isPaged(type: RowType): type is Paged {
  return type in pageRows;
}

/** Of rows that are scrolled through: how many at most, as the server does, and how many are loaded at once. */
const mostScrolled = 100_000;
const loadedRows = 200;

/** The orders of rows, with their texts. Regions have only one. */
const orders: Readonly<Record<Exclude<Paged, "region">, readonly (readonly [Order, keyof TimelineTexts])[]>> = {
  goroutine: [
    ["busy", "busiest"],
    ["long", "longest"],
    ["time", "bystart"],
  ],
  request: [
    ["long", "slowest"],
    ["time", "bystart"],
  ],
  task: [
    ["long", "longest"],
    ["time", "bystart"],
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
    readonly type: RowType,
    private readonly source: TimelineSource,
    private readonly set: (s: Partial<SectionState>) => void,
    private readonly changed: (rows: readonly RowInfo[]) => void,
  ) {
    const title = t(`types.${type}`);
    this.toggle = h(
      "button",
      { type: "button", class: "plain toggle", onclick: () => this.set({ open: !this.state?.open }) },
      title,
    );
    this.search = h("input", {
      type: "search",
      spellcheck: "false",
      oninput: () => {
        clearTimeout(this.timer);
        this.timer = window.setTimeout(() => {
          this.timer = 0;
          this.set({ query: this.search.value, skip: 0 });
        }, 250);
      },
    });
    this.order = h("select", { onchange: () => this.set({ order: this.order.value as Order, skip: 0 }) });
    this.here = h("input", { type: "checkbox", onchange: () => this.set({ here: this.here.checked, skip: 0 }) });
    const page = (by: number) => () => this.set({ skip: Math.max((this.state?.skip ?? 0) + by * this.limit, 0) });
    this.back = h("button", { type: "button", onclick: page(-1) }, "‹");
    this.next = h("button", { type: "button", onclick: page(1) }, "›");
    this.all = h(
      "button",
      { type: "button", onclick: () => this.set({ all: !this.state?.all, skip: 0 }) },
      t("scroll"),
    );
    if (isPaged(type)) this.control(type);
    this.el = h(
      "div",
      { class: "section", role: "group", "aria-label": title, "data-type": type },
      this.toggle,
      this.count,
      this.controls,
      this.trouble,
    );
  }

  /** Names the controls of a type of rows, and shows them. */
  private control(type: Paged): void {
    this.search.placeholder = t(`search.${type}`);
    this.search.ariaLabel = t(`find.${type}`);
    this.back.title = this.back.ariaLabel = t(`previous.${type}`);
    this.next.title = this.next.ariaLabel = t(`next.${type}`);
    this.all.title = t(`scroll.${type}`);
    this.controls.append(this.search);
    if (type !== "region") {
      this.order.ariaLabel = t(`order.${type}`);
      this.order.append(...orders[type].map(([value, text]) => h("option", { value }, t(text))));
      this.controls.append(this.order);
    }
    this.controls.append(
      h("label", { title: t("inwindow.title") }, this.here, h("span", {}, t("inwindow"))),
      this.back,
      this.next,
      this.all,
    );
  }

  private get limit(): number {
    return this.scrolled ? loadedRows : isPaged(this.type) ? pageRows[this.type] : allRows;
  }

  /** All rows are scrolled through. */
  get scrolled(): boolean {
    return this.state !== null && this.state.open && this.state.all && isPaged(this.type);
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
    else if (this.state?.open && this.total === 0) text = t("none");
    else if (this.state?.open && this.total >= 0)
      text =
        this.room < this.total
          ? t("part", { from: number(from), to: number(to), total: number(this.total) })
          : String(this.total);
    this.count.textContent = text;
    this.back.disabled = skip === 0;
    this.next.disabled = to >= this.total;
  }
}
