import type { RowInfo } from "../api/timeline.ts";
import { axisHeight, drawAxis, Inks, sized, timeOf, type Scale } from "../draw/timeline.ts";
import { colorKeys } from "../lib/states.ts";
import { sums } from "../lib/lane.ts";
import { same } from "../lib/same.ts";
import {
  fromTimelineHash,
  initialTimeline,
  maxArea,
  maxMore,
  maxPins,
  sectionTypes,
  timelineHash,
  type Area,
  type SectionState,
  type TimelineState,
} from "../lib/timelinehash.ts";
import { around, duration, exactTime, pan, within, zoomAt, type Stretch } from "../lib/timescale.ts";
import { Lanes } from "../state/lanes.ts";
import type { TimelineSource } from "../state/timelinesource.ts";
import { timelineTexts } from "../texts/timeline.ts";
import { choice, h } from "./dom.ts";
import { pageHelp, type Help } from "./pagehelp.ts";
import { themeButton } from "./themebutton.ts";
import { Analysis, type Subject } from "./timelineanalysis.ts";
import { ClassTable } from "./timelineclasses.ts";
import { Describer, type Deeds, type FrameLinks, type Place } from "./timelinedetails.ts";
import { timelineHelp } from "./timelinehelp.ts";
import { LanesView } from "./timelinelanes.ts";
import { Overview } from "./timelineoverview.ts";
import { utilizationOf } from "./timelineparts.ts";
import { listen } from "./timelinepointer.ts";
import { Section } from "./timelinesections.ts";
import { typeOf } from "./timelinewords.ts";

const { number, t } = timelineTexts;

/** How long the view must rest, in ms, before the URL is updated and rows of the window are requested. */
const settled = 200;

/** Changes of the view that are further apart than this, in ms, are steps; closer, as of a wheel, they are one move. */
const apart = 100;

/**
 * Builds the page and shows the view in the URL. With shell, whet ui has the header with the theme, and the
 * help, which is returned. links, if not null, has where frames lead to.
 */
export function startTimeline(
  source: TimelineSource,
  root: HTMLElement,
  shell = false,
  links: FrameLinks | null = null,
): Help {
  new TimelinePage(source, root, shell, links);
  return timelineHelp();
}

class TimelinePage implements Deeds {
  private state: TimelineState = fromTimelineHash(location.hash);
  private inks = new Inks(getComputedStyle(document.documentElement));
  private mark: Place | null = null;
  private hover: { place: Place; x: number; y: number } | null = null;
  private selected: Area | null = null; // while it is drawn
  private classes: ClassTable | null = null;
  private lines: number[] = [];
  private axisOf: readonly unknown[] = []; // what the axis was drawn for
  private frame = 0;
  private lost = false; // the server does not answer
  private rested = 0;
  private applied = Infinity; // when the view last changed; before that, it is no step
  private drawn = 0;
  private version = 0; // of the lanes' data
  private told: readonly unknown[] = [];
  private side: "before" | "after" = "after"; // of the picture, where details are

  private readonly lanes: Lanes;
  private readonly words: Describer;
  private readonly sections: Section[];
  private readonly view: LanesView;
  private readonly overview: Overview;
  private readonly axis = h("canvas", { class: "axis", "aria-hidden": "true" });
  private readonly about = h("div", {});
  private readonly analysis: Analysis;
  private readonly details = h("aside", { class: "details", "aria-label": t("details"), tabindex: "-1", hidden: true });
  private readonly gc = h("dialog", { class: "help", "aria-labelledby": "gc-title" });
  private readonly tip = h("div", { class: "tooltip", "aria-hidden": "true", hidden: true });
  private readonly status = h("div", { class: "status", role: "status" });
  private readonly live = h("div", { class: "live", "aria-live": "polite" });
  private readonly legend = h("div", { class: "legend", role: "group", "aria-label": t("colors") });
  private readonly colors = choice(
    t("colorby"),
    [
      ["kind", t("byfunction"), t("byfunction.title")],
      ["state", t("bystate"), t("bystate.title")],
      ["heat", t("heatmap"), t("heatmap.title")],
    ],
    (c) => this.set({ color: c === "state" || c === "heat" ? c : "kind" }),
  );
  private readonly main = h("main");
  private readonly toggles: Partial<Record<"shade" | "flows", HTMLElement>> = {};
  private readonly help = pageHelp(timelineHelp(), t("close")); // without a shell
  private readonly theme: { el: HTMLElement; paint: () => void };

  constructor(
    private readonly source: TimelineSource,
    root: HTMLElement,
    private readonly shell: boolean,
    links: FrameLinks | null,
  ) {
    const { trace } = source;
    this.theme = themeButton(() => this.paint(), shell);
    this.lanes = new Lanes(source, () => {
      this.version++;
      this.redraw();
    });
    this.words = new Describer(trace.states, this.lanes, links);
    const counts = new Map(trace.types.map((x) => [x.type, x.count]));
    this.sections = sectionTypes
      .filter((type) => (counts.get(type) ?? 0) !== 0)
      .map(
        (type) =>
          new Section(
            type,
            source,
            (s) => this.setSection(type, s),
            (rows) => {
              this.lanes.learn(rows);
              this.redraw();
            },
          ),
      );
    this.analysis = new Analysis(
      source,
      (tab) => this.set({ tab }),
      (id, at) => this.span(id, at),
      (id) => this.lanes.name(id)?.name ?? "",
    );
    this.details.append(this.about, this.analysis.el);
    this.view = new LanesView(
      trace.states,
      this.lanes,
      (p) => this.show(p),
      (s) => this.zoomTo(s),
      () => this.redraw(),
    );
    this.overview = new Overview(
      source,
      () => this.window,
      () => this.scale(source.extent),
      (w) => this.go(w),
      () => this.redraw(),
    );
    this.main.append(h("div", { class: "picture" }, this.axis, this.view.el), this.details);
    root.append(
      this.header(),
      h("div", { class: "overview-place", role: "region", "aria-label": t("overview") }, this.overview.canvas),
      this.main,
      h("footer", {}, this.legend, this.status),
      this.tip,
      this.live,
      this.help,
      this.gc,
    );
    source.watch((lost) => {
      if (lost !== this.lost) this.redraw();
      this.lost = lost;
    });
    this.load();
    this.listen();
    this.theme.paint();
    new ResizeObserver(() => this.redraw()).observe(this.view.el);
    this.apply();
  }

  /** Loads what is requested once: handlers of requests, and the rows that are shaded. */
  private load(): void {
    const never = new AbortController().signal;
    this.source
      .rows({ type: "range", match: "", order: "time", skip: 0, limit: 1000, window: null }, never)
      .then((list) => {
        this.view.ranges = list.rows.filter((r) => /GC concurrent mark|^stop-the-world/.test(r.name));
        this.redraw();
      })
      .catch(() => undefined); // the rows show the error
    const section = this.sections.find((s) => s.type === "request");
    if (!section) return;
    this.source.classes().then(
      (all) => {
        section.el.hidden = all.length === 0;
        if (all.length > 0) {
          this.classes = new ClassTable(all, (query) =>
            this.setSection("request", { query, skip: 0, here: query === "" }),
          );
          section.above(this.classes.el, this.classes.height);
        }
        this.redraw();
      },
      () => undefined, // as above
    );
  }

  private showHelp(): void {
    this.help.showModal();
  }

  /** Shows the minimum mutator utilization. */
  private showUtilization(): void {
    const body = h("div", {}, "…");
    this.gc.replaceChildren(
      h("h2", { id: "gc-title" }, t("utilization")),
      h("p", {}, t("utilization.text")),
      body,
      h("form", { method: "dialog" }, h("button", {}, t("close"))),
    );
    this.gc.showModal();
    this.source.utilization().then(
      (a) =>
        body.replaceChildren(
          utilizationOf(a, (from, to) => {
            this.gc.close();
            this.zoomTo({ from, to });
          }),
        ),
      (err: unknown) => {
        body.textContent = err instanceof Error ? err.message : String(err);
      },
    );
  }

  private get window(): Stretch {
    return within(this.state.window ?? this.source.extent, this.source.extent);
  }

  private scale(w: Stretch): Scale {
    return this.view.scale(w);
  }

  private header(): HTMLElement {
    const { trace, note } = this.source;
    document.title = t("title", { name: trace.name });
    const fact = (name: string, value: string) => h("div", {}, h("dt", {}, name), h("dd", {}, value));
    const goroutines = trace.types.find((x) => x.type === "goroutine")?.count ?? 0;
    const button = (text: string, title: string, deed: () => void) =>
      h("button", { type: "button", title, "aria-label": title, onclick: deed }, text);
    const toggle = (text: string, title: string, of: "shade" | "flows") => {
      const el = button(text, title, () => this.set({ [of]: !this.state[of] }));
      this.toggles[of] = el;
      return el;
    };
    const all = button(t("showall"), t("showall.title"), () => this.go(null, true));
    return h(
      this.shell ? "section" : "header",
      this.shell ? { class: "head", "aria-label": trace.name } : {},
      h(
        "div",
        { class: "title" },
        h("h1", {}, trace.name),
        h(
          "dl",
          {},
          fact(t("length"), duration(trace.duration)),
          fact(t("events"), number(trace.events)),
          fact(t("goroutines"), number(goroutines)),
        ),
        h(
          "div",
          { class: "toolbar" },
          h(
            "span",
            { class: "choice" },
            button("−", t("zoomout"), () => this.zoom(2)),
            button("+", t("zoomin"), () => this.zoom(0.5)),
            all,
          ),
          h("div", { class: "labeled" }, h("span", {}, t("processors")), this.colors.el),
          h(
            "span",
            { class: "choice" },
            toggle(t("gc"), t("gc.title"), "shade"),
            toggle(t("wakeups"), t("wakeups.title"), "flows"),
            button(t("mmu"), t("mmu.title"), () => this.showUtilization()),
          ),
        ),
        this.shell
          ? null
          : h(
              "div",
              { class: "corner" },
              button("?", t("help"), () => this.showHelp()),
              this.theme.el,
            ),
      ),
      trace.damage ? h("p", { class: "note" }, t("damage", { why: trace.damage })) : null,
      note ? h("p", { class: "note" }, note) : null,
    );
  }

  // State and URL.

  private set(change: Partial<TimelineState>, step = false): void {
    if (step) this.remember(); // Back returns to the current view
    this.state = { ...this.state, ...change };
    if (step) this.remember(true);
    this.apply();
  }

  private setSection(type: string, change: Partial<SectionState>): void {
    const was = this.state.sections[type] ?? initialTimeline.sections[type];
    this.set({ sections: { ...this.state.sections, [type]: { ...was, ...change } } });
  }

  /** Shows a window; null is everything. A step can be undone with Back. */
  private go(w: Stretch | null, step = false): void {
    this.hover = null; // what was under the pointer has moved
    const { extent } = this.source;
    const is = w === null ? extent : within(w, extent);
    this.set({ window: is.from <= extent.from && is.to >= extent.to ? null : is }, step);
  }

  private zoom(factor: number): void {
    const w = this.window;
    const at = this.mark?.span ? (this.mark.span[0] + this.mark.span[1]) / 2 : (w.from + w.to) / 2;
    this.go(zoomAt(w, at > w.from && at < w.to ? at : (w.from + w.to) / 2, factor, this.source.extent));
  }

  /** Writes the view to the URL: as a new history entry, or replacing the last one. */
  private remember(step = false): void {
    const hash = timelineHash(this.state);
    if (`#${hash}` === location.hash || (hash === "" && location.hash === "")) return;
    history[step ? "pushState" : "replaceState"](
      null,
      "",
      hash === "" ? location.pathname + location.search : `#${hash}`,
    );
  }

  /** Shows the state. Rows of the window are requested at once, but not while the window keeps changing. */
  private apply(): void {
    this.colors.show(this.state.color);
    for (const of of ["shade", "flows"] as const)
      this.toggles[of]?.setAttribute("aria-pressed", String(this.state[of]));
    this.restore();
    clearTimeout(this.rested);
    this.rested = globalThis.window.setTimeout(() => {
      this.remember();
      this.showSections((s) => s.here);
    }, settled);
    const now = performance.now();
    const alone = now - this.applied > apart;
    this.applied = now;
    this.showSections((s) => !s.here || alone);
    this.redraw();
  }

  /** Selects what the link says, once it is known. */
  private restore(tries = 40): void {
    const want = this.state.selected;
    if (!want) {
      if (!this.state.area) this.mark = null;
      return;
    }
    const is = this.mark;
    const at = is?.span?.[0] ?? is?.part?.[0] ?? null;
    if (is?.row.id === want.id && (at === null ? want.at === null : Math.round(at) === want.at)) return;
    const row = this.view.all().find((r) => r.id === want.id) ?? this.lanes.name(want.id);
    const listed = this.view.all().some((r) => r.id === want.id);
    // The rows of sections may still come: one that is in none is pinned.
    if (row && !listed && tries < 34 && !this.state.pins.includes(want.id)) {
      this.state = { ...this.state, pins: [want.id, ...this.state.pins].slice(0, maxPins) };
      this.redraw();
    }
    const place =
      row && want.at !== null
        ? this.view.at(row, want.at + 0.5, this.window)
        : row
          ? { row, span: null, part: null }
          : null;
    if (place && this.view.reveal(want.id)) {
      this.mark = place;
      this.redraw();
      return;
    }
    // Its row or spans are requested, those of a row in view; each answer redraws.
    if (row && this.view.reveal(want.id)) this.redraw();
    if (tries > 0)
      globalThis.window.setTimeout(() => {
        if (this.state.selected === want) this.restore(tries - 1);
      }, 80);
  }

  private showSections(which: (s: SectionState) => boolean): void {
    for (const section of this.sections) {
      const s = this.state.sections[section.type] ?? initialTimeline.sections[section.type];
      if (which(s)) section.show(s, this.window);
    }
  }

  // Drawing.

  private paint(): void {
    this.inks = new Inks(getComputedStyle(document.documentElement));
    this.legend.replaceChildren(
      ...colorKeys.map((k) => {
        const swatch = h("span", { class: "swatch", "aria-hidden": "true" });
        swatch.style.background = this.inks.states[k];
        return h("span", {}, swatch, t(`color.${k}`));
      }),
    );
    this.redraw();
  }

  private redraw(): void {
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      this.draw();
    });
  }

  private draw(): void {
    const w = this.window;
    const pins = this.state.pins.map((id) => this.lanes.name(id)).filter((r) => r !== undefined);
    this.classes?.show(this.inks, this.state.sections.request?.query ?? "");
    this.view.place(this.sections, pins, this.state.more, this.state.color === "heat");
    this.view.fill(w);
    const inView = this.view.inView().map((r) => r.id);
    const area = this.state.area?.ids ?? [];
    const shaded = this.state.shade ? this.view.ranges.map((r) => r.id) : [];
    this.lanes.want([...new Set([...inView, ...shaded, ...area])], w, this.view.width);
    this.lanes.marks(
      inView.filter((id) => id.startsWith("g")),
      w,
      this.view.width,
    );
    const s = this.scale(w);
    const axis = [w.from, w.to, s.left, s.width, devicePixelRatio, this.inks];
    if (!same(axis, this.axisOf)) {
      const g = sized(this.axis, s.left + s.width, axisHeight);
      if (g) this.lines = drawAxis(g, s, this.inks);
      this.axisOf = axis;
    }
    this.view.draw(
      w,
      this.inks,
      this.state.color,
      this.lines,
      this.mark,
      this.hover?.place ?? null,
      this.selected,
      this.state,
    );
    this.overview.draw(this.inks);
    this.showTip();
    this.showDetails();
    const where = t("where", { length: duration(w.to - w.from), from: exactTime(w.from) });
    this.status.textContent = this.lost
      ? t("lost")
      : this.lanes.trouble
        ? t("trouble", { error: this.lanes.trouble })
        : this.lanes.loading
          ? t("loading", { where })
          : where;
    this.status.classList.toggle("trouble", this.lost || this.lanes.trouble !== "");
    // For tests: the view shows the requested data.
    this.main.dataset.frames = String(++this.drawn);
    this.main.toggleAttribute("data-ready", !this.lanes.loading && this.view.all().length > 0);
  }

  private showTip(): void {
    const over = this.hover;
    this.tip.hidden = over === null;
    if (!over) return;
    this.tip.replaceChildren(...this.words.tip(over.place, this.inks));
    const { width, height } = this.tip.getBoundingClientRect();
    // Not over the details, if there is space for it next to them.
    const details = this.details.getBoundingClientRect();
    const high = over.y + 18 < details.bottom && over.y + 18 + height > details.top;
    const [start, end] = !high
      ? [4, window.innerWidth]
      : this.side === "after"
        ? [4, Math.max(details.left, width + 12)]
        : [Math.min(details.right + 4, window.innerWidth - width - 8), window.innerWidth];
    this.tip.style.left = `${Math.max(start, Math.min(over.x + 14, end - width - 8))}px`;
    const below = over.y + 18;
    const top = below + height < window.innerHeight ? below : Math.max(4, over.y - height - 10);
    this.tip.style.top = `${top}px`;
  }

  private showDetails(): void {
    const rowOnly = this.mark && !this.mark.span && !this.mark.part;
    const { pins, more, area, tab } = this.state;
    const about = [this.mark, this.version, this.inks, pins, more, area, tab, rowOnly ? this.state.window : null];
    if (same(about, this.told)) return;
    this.told = about;
    this.details.hidden = this.mark === null && area === null;
    this.details.dataset.side = this.side;
    this.details.classList.toggle("wide", tab !== "");
    this.analysis.show(this.subject(), tab, this.inks);
    if (area) this.about.replaceChildren(...this.areaDetails(area));
    else if (this.mark) {
      const focused = this.details.contains(document.activeElement)
        ? (document.activeElement?.textContent ?? "")
        : null;
      this.about.replaceChildren(...this.words.details(this.mark, this.inks, this.window, this));
      // The elements are new: move the focus to the matching one.
      if (focused !== null)
        [...this.details.querySelectorAll("button")].find((b) => b.textContent === focused)?.focus();
    }
  }

  /** Shows a target. x and y are where the pointer selected it, in the window: details do not cover that point. */
  private show(p: Place | null, say = false, x = 0, y = 0): void {
    this.mark = p;
    const at = p ? (p.span?.[0] ?? p.part?.[0] ?? null) : null;
    const selected = p ? { id: p.row.id, at: at === null ? null : Math.round(at) } : null;
    this.state = { ...this.state, selected, area: null };
    clearTimeout(this.rested);
    this.rested = globalThis.window.setTimeout(() => this.remember(), settled);
    const box = this.main.getBoundingClientRect();
    this.side = (box.width < 620 ? y > box.top + box.height * 0.45 : x > box.right - 440) ? "before" : "after";
    if (p && say) this.live.textContent = this.words.sentence(p);
    this.redraw();
  }

  /** What the details add figures of. */
  private subject(): Subject | null {
    const { area } = this.state;
    const all = [...this.view.all()];
    const goroutineOf = (id: string) =>
      id.startsWith("g") ? id : (all.find((r) => r.id === id) ?? this.lanes.name(id))?.goroutine;
    if (area) {
      const ids = area.ids.map(goroutineOf).filter((id) => id !== undefined);
      return { ids: [...new Set(ids)], window: area, state: -1, length: -1, of: t("ofarea") };
    }
    const p = this.mark;
    if (!p) return null;
    const w = this.window;
    const g = goroutineOf(p.row.id);
    const of = p.span ?? p.part;
    const own = typeOf(p.row.id) === "range" || typeOf(p.row.id) === "region";
    const stretch = of ? { from: of[0], to: of[1] } : g && g !== p.row.id ? p.row : w;
    return {
      ids: own ? [p.row.id] : g ? [g] : [],
      window: { from: Math.max(stretch.from, 0), to: stretch.to },
      state: p.span && g ? p.span[2] : -1,
      length: p.span ? p.span[1] - p.span[0] : -1,
      of: own ? p.row.name : g ? (this.lanes.name(g)?.name ?? p.row.name) : t("ofall"),
      view: w,
    };
  }

  /** The details of an area: how long its rows are in each state. */
  private areaDetails(area: Area): Node[] {
    const times = new Map<number, number>();
    let whole = 0;
    for (const id of area.ids) {
      const d = this.lanes.lane(id);
      if (!d) continue;
      whole += area.to - area.from;
      for (const [state, time] of sums(d, area)) times.set(state, (times.get(state) ?? 0) + time);
    }
    return this.words.area(area, times, whole, this.inks, {
      zoom: () => this.zoomTo(area),
      close: () => this.close(),
    });
  }

  // Actions from the details.

  close(): void {
    this.show(null);
    this.view.canvas.focus();
  }

  zoomTo(s: Stretch): void {
    this.go(around(s, this.source.extent), true);
  }

  /** Shows a goroutine among the rows, and what it does in the middle of the view. */
  goroutine(id: string): void {
    if (!this.view.all().some((r) => r.id === id))
      this.set({ pins: [id, ...this.state.pins.filter((p) => p !== id)].slice(0, maxPins) }, true);
    const section = this.state.sections.goroutine;
    if (section && !section.open) this.setSection("goroutine", { open: true });
    const time = this.mark?.span ? this.mark.span[0] : (this.window.from + this.window.to) / 2;
    const find = (tries: number) => {
      const row = this.view.all().find((r) => r.id === id);
      if (row && this.view.reveal(id)) {
        const place = this.view.at(row, time, this.window);
        this.show(place ?? { row, span: null, part: null }, true);
        if (place || tries === 0) return;
      }
      // Its row and spans are requested; each answer redraws.
      if (tries > 0) globalThis.window.setTimeout(() => find(tries - 1), 60);
    };
    requestAnimationFrame(() => find(20));
  }

  pinned(id: string): boolean {
    return this.state.pins.includes(id);
  }

  pin(id: string, on: boolean): void {
    const others = this.state.pins.filter((p) => p !== id);
    if (on) this.lanes.learn(this.view.all().filter((r) => r.id === id));
    this.set({ pins: on ? [...others, id].slice(-maxPins) : others });
  }

  more(id: string, on: boolean): void {
    const others = this.state.more.filter((p) => p !== id);
    this.set({ more: on ? [...others, id].slice(-maxMore) : others });
  }

  hasMore(id: string): boolean {
    return this.state.more.includes(id);
  }

  /** Shows a span of a goroutine: zooms out or moves so that it is in view. */
  span(id: string, at: number): void {
    const w = this.window;
    if (at < w.from || at > w.to) this.go(pan(w, at - (w.from + w.to) / 2, this.source.extent), true);
    this.set({ selected: { id, at: Math.round(at) }, area: null });
  }

  // Pointer and keys.

  private listen(): void {
    const { canvas } = this.view;
    const timeAt = (x: number) => timeOf(this.scale(this.window), x);
    const move = (dx: number) =>
      this.go(pan(this.window, (-dx / this.view.width) * (this.window.to - this.window.from), this.source.extent));
    const times = (a: number, b: number): Stretch => ({
      from: Math.max(timeAt(Math.min(a, b)), this.window.from),
      to: Math.min(timeAt(Math.max(a, b)), this.window.to),
    });
    /** On the axis, a selection is a window to show. */
    const selectWindow = (a: number, b: number, done: boolean) => {
      const s = times(a, b);
      this.selected = done ? null : { ...s, ids: this.view.all().map((r) => r.id) };
      if (done && Math.abs(a - b) > 3) this.go(s, true);
      this.redraw();
    };
    /** On the rows, it is an area to add up. */
    const select = (a: number, b: number, done: boolean, y0: number, y1: number) => {
      const ids = this.view.between(y0, y1).map((r) => r.id);
      const cut = ids.length > maxArea ? { all: ids.length } : {};
      const area = { ...times(a, b), ids: ids.slice(0, maxArea), ...cut };
      this.selected = done ? null : area;
      if (done && Math.abs(a - b) > 3 && ids.length > 0) {
        this.mark = null;
        this.side = Math.max(a, b) > this.view.left + this.view.width - 440 ? "before" : "after";
        this.set({ area: { ...area, from: Math.floor(area.from), to: Math.ceil(area.to) }, selected: null });
      }
      this.redraw();
    };
    const zoom = (factor: number, x: number) =>
      this.go(
        zoomAt(
          this.window,
          Math.min(Math.max(timeAt(x), this.window.from), this.window.to),
          factor,
          this.source.extent,
        ),
      );
    const over = (e: PointerEvent | null) => {
      const place = e ? this.view.hit(e.clientX, e.clientY, this.window) : null;
      if (!place && !this.hover) return;
      this.hover = place && e ? { place, x: e.clientX, y: e.clientY } : null;
      canvas.classList.toggle("over", place !== null);
      this.redraw();
    };
    let last: { place: Place | null; at: number } = { place: null, at: 0 };
    listen(canvas, () => this.view.el.scrollHeight <= this.view.el.clientHeight, {
      hover: over,
      click: (e) => {
        const place = this.view.hit(e.clientX, e.clientY, this.window);
        // A second click acts on the target of the first: opening details may have moved the picture.
        if (e.timeStamp - last.at < 400 && last.place) {
          const of = last.place.span ?? last.place.part;
          if (of) this.zoomTo({ from: of[0], to: of[1] });
          else if (last.place.box) this.zoomTo(last.place.box);
          last = { place: null, at: 0 };
          return;
        }
        last = { place, at: e.timeStamp };
        this.show(place, false, e.clientX, e.clientY);
      },
      drag: (dx, dy) => {
        this.view.el.scrollTop -= dy;
        move(dx);
      },
      select,
      zoom,
    });
    listen(this.axis, () => true, {
      hover: () => undefined,
      click: () => undefined,
      drag: move,
      select: selectWindow,
      zoom,
    });
    document.addEventListener("keydown", (e) => this.key(e));
    globalThis.addEventListener("popstate", () => {
      this.state = fromTimelineHash(location.hash);
      this.apply();
    });
    globalThis.addEventListener("hashchange", () => {
      this.state = fromTimelineHash(location.hash);
      this.apply();
    });
  }

  private key(e: KeyboardEvent): void {
    const at = e.target as HTMLElement;
    // The shell's keys, such as g h, come first.
    if (e.ctrlKey || e.metaKey || e.altKey || e.defaultPrevented || document.querySelector("dialog[open]")) return;
    if (at instanceof HTMLInputElement || at instanceof HTMLSelectElement) {
      if (e.key === "Escape") at.blur();
      return;
    }
    const span = (this.window.to - this.window.from) / 5;
    const deeds: Record<string, () => void> = {
      c: () => this.set({ shade: !this.state.shade }),
      f: () => this.set({ flows: !this.state.flows }),
      m: () => this.showUtilization(),
      p: () => this.mark && this.pin(this.mark.row.id, !this.pinned(this.mark.row.id)),
      e: () => this.mark?.row.id.startsWith("g") && this.more(this.mark.row.id, !this.hasMore(this.mark.row.id)),
      w: () => this.zoom(0.6),
      "+": () => this.zoom(0.6),
      "=": () => this.zoom(0.6),
      s: () => this.zoom(1 / 0.6),
      "-": () => this.zoom(1 / 0.6),
      a: () => this.go(pan(this.window, -span, this.source.extent)),
      d: () => this.go(pan(this.window, span, this.source.extent)),
      ArrowLeft: () => this.step(-1),
      ArrowRight: () => this.step(1),
      ArrowUp: () => this.row(-1),
      ArrowDown: () => this.row(1),
      "0": () => this.go(null, true),
      Home: () => this.go(null, true),
      Backspace: () => history.back(),
      Escape: () => this.show(null),
      "/": () => this.sections.find((s) => s.type === "goroutine")?.find(),
      "?": () => this.showHelp(),
    };
    if (e.key === "Enter" && this.state.area && (at === this.view.canvas || at === document.body)) {
      this.zoomTo(this.state.area);
      e.preventDefault();
      return;
    }
    if (e.key === "Enter" && at === this.view.canvas && this.mark) {
      const of = this.mark.span ?? this.mark.part;
      this.zoomTo(of ? { from: of[0], to: of[1] } : this.mark.row);
      e.preventDefault();
      return;
    }
    // The browser handles arrow keys in details and lists.
    if (e.key.startsWith("Arrow") && at !== this.view.canvas && at !== document.body) return;
    const deed = deeds[e.key];
    if (!deed) return;
    e.preventDefault();
    deed();
  }

  /** Moves to the next span of the row or, without a marked one, pans. */
  private step(by: number): void {
    const next = this.mark && this.view.step(this.mark, by);
    if (!this.mark || (!this.mark.span && !this.mark.part)) {
      this.go(pan(this.window, (by * (this.window.to - this.window.from)) / 5, this.source.extent));
      return;
    }
    if (!next) return;
    const [from, to] = (next.span ?? next.part) as readonly number[];
    const w = this.window;
    if (to < w.from || from > w.to) this.go(pan(w, (from + to) / 2 - (w.from + w.to) / 2, this.source.extent));
    this.show(next, true);
  }

  /** Moves to the row above or below. */
  private row(by: number): void {
    const rows = this.view.all();
    const at = this.mark ? rows.findIndex((r) => r.id === this.mark?.row.id) : -1;
    const row: RowInfo | undefined =
      at < 0 ? this.view.middle() : rows[Math.min(Math.max(at + by, 0), rows.length - 1)];
    if (!row) return;
    this.view.reveal(row.id);
    const span = this.mark?.span ?? this.mark?.part;
    const w = this.window;
    const time = span ? Math.min(Math.max((span[0] + span[1]) / 2, w.from), w.to) : (w.from + w.to) / 2;
    this.show(this.view.at(row, time, w) ?? { row, span: null, part: null }, true);
  }
}
