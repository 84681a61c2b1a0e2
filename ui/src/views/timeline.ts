import type { RowInfo } from "../api/timeline.ts";
import { axisHeight, drawAxis, Inks, sized, timeOf, type Scale } from "../draw/timeline.ts";
import { colorKeys, colorNames } from "../lib/states.ts";
import {
  fromTimelineHash,
  initialTimeline,
  maxPins,
  sectionTypes,
  timelineHash,
  type SectionState,
  type TimelineState,
} from "../lib/timelinehash.ts";
import { around, duration, exactTime, pan, within, zoomAt, type Stretch } from "../lib/timescale.ts";
import { Lanes } from "../state/lanes.ts";
import type { TimelineSource } from "../state/timelinesource.ts";
import { choice, h } from "./dom.ts";
import { themeButton } from "./themebutton.ts";
import { Describer, type Deeds, type Place } from "./timelinedetails.ts";
import { timelineHelp } from "./timelinehelp.ts";
import { LanesView } from "./timelinelanes.ts";
import { Overview } from "./timelineoverview.ts";
import { listen } from "./timelinepointer.ts";
import { Section } from "./timelinesections.ts";

/** How long the view must rest, in ms, before the URL is updated and rows of the window are requested. */
const settled = 200;

/** Builds the page and shows the view in the URL. */
export function startTimeline(source: TimelineSource, root: HTMLElement): void {
  new TimelinePage(source, root);
}

class TimelinePage implements Deeds {
  private state: TimelineState = fromTimelineHash(location.hash);
  private inks = new Inks(getComputedStyle(document.documentElement));
  private mark: Place | null = null;
  private hover: { place: Place; x: number; y: number } | null = null;
  private selected: Stretch | null = null;
  private lines: number[] = [];
  private frame = 0;
  private rested = 0;
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
  private readonly details = h("aside", { class: "details", "aria-label": "Details", hidden: true });
  private readonly tip = h("div", { class: "tooltip", role: "presentation", hidden: true });
  private readonly status = h("div", { class: "status", role: "status" });
  private readonly live = h("div", { class: "live", "aria-live": "polite" });
  private readonly legend = h("div", { class: "legend", role: "group", "aria-label": "Colors" });
  private readonly colors = choice(
    "Processors by",
    [
      ["kind", "by function", "Processors in colors of the functions that their goroutines run"],
      ["state", "by state", "Processors in colors of states"],
    ],
    (c) => this.set({ color: c === "state" ? "state" : "kind" }),
  );
  private readonly main = h("main");
  private readonly help = timelineHelp();
  private readonly theme = themeButton(() => this.paint());

  constructor(
    private readonly source: TimelineSource,
    root: HTMLElement,
  ) {
    const { trace } = source;
    this.lanes = new Lanes(source, () => {
      this.version++;
      this.redraw();
    });
    this.words = new Describer(trace.states, this.lanes);
    const counts = new Map(trace.types.map((t) => [t.type, t.count]));
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
      h("div", { class: "overview-place", role: "region", "aria-label": "Overview" }, this.overview.canvas),
      this.main,
      h("footer", {}, this.legend, this.status),
      this.tip,
      this.live,
      this.help,
    );
    this.listen();
    this.theme.paint();
    new ResizeObserver(() => this.redraw()).observe(this.view.el);
    this.apply();
  }

  private get window(): Stretch {
    return within(this.state.window ?? this.source.extent, this.source.extent);
  }

  private scale(w: Stretch): Scale {
    return this.view.scale(w);
  }

  private header(): HTMLElement {
    const { trace, note } = this.source;
    document.title = `${trace.name} · whet timeline`;
    const fact = (name: string, value: string) => h("div", {}, h("dt", {}, name), h("dd", {}, value));
    const goroutines = trace.types.find((t) => t.type === "goroutine")?.count ?? 0;
    const button = (text: string, title: string, deed: () => void) =>
      h("button", { type: "button", title, "aria-label": title, onclick: deed }, text);
    const all = button("All", "All: show everything (0)", () => this.go(null, true));
    return h(
      "header",
      {},
      h(
        "div",
        { class: "title" },
        h("h1", {}, trace.name),
        h(
          "dl",
          {},
          fact("length", duration(trace.duration)),
          fact("events", trace.events.toLocaleString("en")),
          fact("goroutines", goroutines.toLocaleString("en")),
        ),
        h(
          "div",
          { class: "toolbar" },
          h(
            "span",
            { class: "choice" },
            button("−", "Zoom out (s)", () => this.zoom(2)),
            button("+", "Zoom in (w)", () => this.zoom(0.5)),
            all,
          ),
          h("label", {}, h("span", {}, "Processors"), this.colors.el),
        ),
        h(
          "div",
          { class: "corner" },
          button("?", "How to use this page (?)", () => this.help.showModal()),
          this.theme.el,
        ),
      ),
      trace.damage ? h("p", { class: "note" }, `Only a part of the trace could be read: ${trace.damage}`) : null,
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
    this.set({ window: w === null ? null : within(w, this.source.extent) }, step);
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

  /** Shows the state. */
  private apply(): void {
    this.colors.show(this.state.color);
    clearTimeout(this.rested);
    this.rested = globalThis.window.setTimeout(() => {
      this.remember();
      this.showSections((s) => s.here);
    }, settled);
    this.showSections((s) => !s.here);
    this.redraw();
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
        return h("span", {}, swatch, colorNames[k]);
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
    this.view.place(this.sections, pins);
    this.lanes.want(
      this.view.inView().map((r) => r.id),
      w,
      this.view.width,
    );
    const s = this.scale(w);
    const g = sized(this.axis, s.left + s.width, axisHeight);
    if (g) this.lines = drawAxis(g, s, this.inks);
    this.view.draw(w, this.inks, this.state.color, this.lines, this.mark, this.hover?.place ?? null, this.selected);
    this.overview.draw(this.inks);
    this.showTip();
    this.showDetails();
    const where = `${duration(w.to - w.from)} from ${exactTime(w.from)}`;
    this.status.textContent = this.lanes.trouble
      ? `No answer: ${this.lanes.trouble}`
      : this.lanes.loading
        ? `${where} · loading …`
        : where;
    this.status.classList.toggle("trouble", this.lanes.trouble !== "");
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
    this.tip.style.left = `${Math.max(4, Math.min(over.x + 14, window.innerWidth - width - 8))}px`;
    const below = over.y + 18;
    const top = below + height < window.innerHeight ? below : Math.max(4, over.y - height - 10);
    this.tip.style.top = `${top}px`;
  }

  private showDetails(): void {
    const rowOnly = this.mark && !this.mark.span && !this.mark.part;
    const about = [this.mark, this.version, this.inks, this.state.pins, rowOnly ? this.state.window : null];
    if (about.every((a, i) => a === this.told[i])) return;
    this.told = about;
    this.details.hidden = this.mark === null;
    this.details.dataset.side = this.side;
    if (this.mark) {
      const focused = this.details.contains(document.activeElement)
        ? (document.activeElement?.textContent ?? "")
        : null;
      this.details.replaceChildren(...this.words.details(this.mark, this.inks, this.window, this));
      // The elements are new: move the focus to the matching one.
      if (focused !== null)
        [...this.details.querySelectorAll("button")].find((b) => b.textContent === focused)?.focus();
    }
  }

  /** Shows a target. x and y are where the pointer selected it, in the window: details do not cover that point. */
  private show(p: Place | null, say = false, x = 0, y = 0): void {
    this.mark = p;
    const box = this.main.getBoundingClientRect();
    this.side = (box.width < 620 ? y > box.top + box.height * 0.45 : x > box.right - 440) ? "before" : "after";
    if (p && say) this.live.textContent = this.words.sentence(p);
    this.redraw();
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

  unpin(id: string): void {
    this.set({ pins: this.state.pins.filter((p) => p !== id) });
    this.show(null);
  }

  // Pointer and keys.

  private listen(): void {
    const { canvas } = this.view;
    const timeAt = (x: number) => timeOf(this.scale(this.window), x);
    const move = (dx: number) =>
      this.go(pan(this.window, (-dx / this.view.width) * (this.window.to - this.window.from), this.source.extent));
    const select = (a: number, b: number, done: boolean) => {
      const s = {
        from: Math.max(timeAt(Math.min(a, b)), this.window.from),
        to: Math.min(timeAt(Math.max(a, b)), this.window.to),
      };
      this.selected = done ? null : s;
      if (done && Math.abs(a - b) > 3) this.go(s, true);
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
    listen(this.axis, () => true, { hover: () => undefined, click: () => undefined, drag: move, select, zoom });
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
    if (e.ctrlKey || e.metaKey || e.altKey || this.help.open) return;
    if (at instanceof HTMLInputElement || at instanceof HTMLSelectElement) {
      if (e.key === "Escape") at.blur();
      return;
    }
    const span = (this.window.to - this.window.from) / 5;
    const deeds: Record<string, () => void> = {
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
      "?": () => this.help.showModal(),
    };
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
