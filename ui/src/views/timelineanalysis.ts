import type { Inks } from "../draw/timeline.ts";
import type { Tab } from "../lib/timelinehash.ts";
import { duration, type Stretch } from "../lib/timescale.ts";
import type { TimelineSource } from "../state/timelinesource.ts";
import { timelineTexts } from "../texts/timeline.ts";
import { choice, h } from "./dom.ts";
import { flameOf, histogramOf } from "./timelineparts.ts";

const { t } = timelineTexts;

/** What figures are of: goroutines in a window. */
export interface Subject {
  /** Goroutines, or one range or region; none means all goroutines. */
  readonly ids: readonly string[];
  readonly window: Stretch;
  /** The state whose spans are counted; -1 is all. */
  readonly state: number;
  /** The length to mark in the histogram; -1 is none. */
  readonly length: number;
  /** What it is of, in words. */
  readonly of: string;
  /** The window in view: spans are counted in it. */
  readonly view?: Stretch;
}

/** The number of spans listed. */
const listed = 100;

/** Figures of what is selected: flame graphs, and how long spans are. Requested when they are shown. */
export class Analysis {
  readonly el: HTMLElement;
  private readonly tabs: ReturnType<typeof choice>;
  private readonly body = h("div", { class: "analysis-body", "aria-live": "polite" });
  private shown = "";
  private inks: Inks | null = null;

  constructor(
    private readonly source: TimelineSource,
    pick: (tab: Tab) => void,
    private readonly go: (id: string, at: number) => void,
    private readonly nameOf: (id: string) => string,
  ) {
    let now = "";
    this.tabs = choice(
      t("figures"),
      [
        ["cpu", t("cpu"), t("cpu.title")],
        ["wait", t("waits"), t("waits.title")],
        ["spans", t("spans"), t("spans.title")],
      ],
      (tab) => pick((tab === now ? "" : tab) as Tab),
    );
    const { show } = this.tabs;
    this.tabs.show = (tab) => {
      now = tab;
      show(tab);
    };
    this.el = h("div", { class: "analysis" }, this.tabs.el, this.body);
  }

  show(s: Subject | null, tab: Tab, inks: Inks): void {
    this.tabs.show(tab);
    const key = s && tab ? JSON.stringify([s, tab]) : "";
    if (key === this.shown && inks === this.inks) return;
    this.shown = key;
    this.inks = inks;
    if (!s || tab === "") {
      this.body.replaceChildren();
      return;
    }
    const { states } = this.source.trace;
    const w = tab === "spans" && s.view ? s.view : s.window;
    const length = duration(w.to - w.from);
    const head =
      tab === "spans" && s.state >= 0
        ? t("head.state", { state: states[s.state]?.name ?? t("color.unknown"), length })
        : t(`head.${tab}`, { of: s.of, length });
    this.body.replaceChildren(h("h3", {}, head), h("p", { class: "place" }, "…"));
    const done = (el: HTMLElement) => {
      if (this.shown === key) this.body.replaceChildren(h("h3", {}, head), el);
    };
    const failed = (err: unknown) =>
      done(h("p", { class: "trouble" }, err instanceof Error ? err.message : String(err)));
    if (tab === "spans")
      this.source
        .stays(s.state >= 0 ? [] : s.ids, w, s.state, listed)
        .then((a) => done(histogramOf(a, states, s.length, this.nameOf, (one) => one.id && this.go(one.id, one.from))))
        .catch(failed);
    else
      this.source
        .weights(s.ids, w, tab)
        .then((a) => done(flameOf(a, states, inks)))
        .catch(failed);
  }
}
