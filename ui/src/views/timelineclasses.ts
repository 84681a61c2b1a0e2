import type { ClassInfo } from "../api/timeline.ts";
import type { Inks } from "../draw/timeline.ts";
import { percent } from "../lib/format.ts";
import { shortName } from "../lib/names.ts";
import type { ColorKey } from "../lib/states.ts";
import { duration } from "../lib/timescale.ts";
import { timelineTexts } from "../texts/timeline.ts";
import { h } from "./dom.ts";

const { number, t } = timelineTexts;

/** The number of handlers shown without scrolling, and the height of a line. */
const shown = 6;
const lineHeight = 25;

/** The color of a cause of a request's time. */
export function causeColor(cause: string): ColorKey {
  if (/running/.test(cause)) return "running";
  if (/runnable|CPU/.test(cause)) return "runnable";
  if (/GC|collector/.test(cause)) return "gc";
  if (/lock/.test(cause)) return "lock";
  if (/chan|select/.test(cause)) return "channel";
  if (/net|client|server/.test(cause)) return "network";
  if (/syscall|system/.test(cause)) return "syscall";
  return "waiting";
}

/** A regular expression that matches a name and nothing else. */
export function exactly(name: string): string {
  return `^${name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}$`;
}

/** Requests by handler: how many, how long, and what their time went to. */
export class ClassTable {
  readonly el: HTMLElement;
  private inks: Inks | null = null;
  private chosen = "";

  constructor(
    private readonly classes: readonly ClassInfo[],
    private readonly pick: (query: string) => void,
  ) {
    this.el = h("div", { class: "classes", tabindex: "0", role: "region", "aria-label": t("handlers") });
  }

  get height(): number {
    return (Math.min(this.classes.length, shown) + 1) * lineHeight + 6;
  }

  show(inks: Inks, query: string): void {
    if (inks === this.inks && query === this.chosen && this.el.childElementCount > 0) return;
    this.inks = inks;
    this.chosen = query;
    const head = [t("handler"), t("requests"), "p50", "p90", "p99", t("max"), t("median"), t("slow")];
    const kinds = ["", "", "", "more", "", "more", "more", "bar"];
    this.el.style.height = `${this.height}px`;
    this.el.replaceChildren(
      h(
        "table",
        {},
        h("thead", {}, h("tr", {}, ...head.map((name, i) => h("th", { scope: "col", class: kinds[i] ?? "" }, name)))),
        h("tbody", {}, ...this.classes.map((c) => this.line(c, inks))),
      ),
    );
  }

  private line(c: ClassInfo, inks: Inks): HTMLElement {
    const query = exactly(c.name);
    const on = query === this.chosen;
    return h(
      "tr",
      {},
      h(
        "th",
        { scope: "row" },
        h(
          "button",
          {
            type: "button",
            class: "plain",
            "aria-pressed": String(on),
            title: t("onlyhandler", { name: c.name }),
            onclick: () => this.pick(on ? "" : query),
          },
          shortName(c.name),
        ),
      ),
      h("td", {}, number(c.count)),
      h("td", {}, duration(c.p50)),
      h("td", { class: "more" }, duration(c.p90)),
      h("td", {}, duration(c.p99)),
      h("td", { class: "more" }, duration(c.max)),
      h("td", { class: "more bar" }, ...bar(c, (one) => one.middle, inks)),
      h("td", { class: "bar" }, ...bar(c, (one) => one.slow, inks)),
    );
  }
}

/** The causes of a time as a bar, and the largest in words. */
function bar(c: ClassInfo, of: (one: ClassInfo["causes"][number]) => number, inks: Inks): HTMLElement[] {
  const causes = c.causes.filter((one) => of(one) > 0).sort((a, b) => of(b) - of(a));
  const total = causes.reduce((sum, one) => sum + of(one), 0);
  const first = causes[0];
  if (!first) return [];
  const words = causes.map((one) => `${one.cause} ${duration(of(one))}, ${percent(of(one), total)}`).join("; ");
  const strip = h("span", { class: "strip", "aria-hidden": "true", title: words });
  for (const one of causes) {
    const part = h("span", {});
    part.style.width = `${(100 * of(one)) / total}%`;
    part.style.background = inks.states[causeColor(one.cause)];
    strip.append(part);
  }
  return [strip, h("span", { class: "main-cause", title: words }, `${first.cause} ${percent(of(first), total)}`)];
}
