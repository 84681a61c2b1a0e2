import type { StackAnswer, State, Stay, StayAnswer, UtilizationAnswer } from "../api/timeline.ts";
import type { Inks } from "../draw/timeline.ts";
import { percent } from "../lib/format.ts";
import { icicle } from "../lib/icicle.ts";
import { bareName, shortName } from "../lib/names.ts";
import { frameKind, shortFile } from "../lib/owncode.ts";
import { duration, exactTime } from "../lib/timescale.ts";
import { timelineTexts } from "../texts/timeline.ts";
import { h } from "./dom.ts";

const { number, t } = timelineTexts;

/** The height of a call in a flame graph of the details, and the narrowest share that is a box. */
const callHeight = 18;
const narrowest = 0.004;

/** A flame graph of stacks, which a click on a call shows alone. */
export function flameOf(a: StackAnswer, states: readonly State[], inks: Inks, focus = ""): HTMLElement {
  const el = h("div", { class: "flame" });
  const unit = (v: number) => (a.by === "cpu" ? t("samples", { count: number(v), n: v }) : duration(v));
  if (a.total === 0) {
    el.append(h("p", { class: "place" }, a.by === "cpu" ? t("nosamples") : t("nowaits")));
    return el;
  }
  const draw = (name: string) => {
    const chosen = name === "" ? a : { ...a, stacks: below(a, name) };
    const boxes = icicle(chosen, (n) => states[n]?.name ?? t("color.unknown"), narrowest);
    const depth = Math.max(...boxes.map((b) => b.depth), 0) + 1;
    const picture = h("div", { class: "flame-boxes", role: "group", "aria-label": t("flame") });
    picture.style.height = `${depth * callHeight}px`;
    const total = boxes[0]?.value ?? 1;
    for (const b of boxes) {
      const place = b.frame ? ` ${shortFile(b.frame.file)}:${b.frame.line}` : "";
      const called = b.depth === 0 ? t("all") : b.name;
      const text = `${called}${place}: ${unit(b.value)}, ${percent(b.value, total)}`;
      const box = h(
        "button",
        {
          type: "button",
          class: b.frame ? `call ${frameKind(b.frame)}` : "call other",
          title: text,
          "aria-label": `${bareName(called)}, ${text}`,
          tabindex: b.to - b.from > 0.03 ? "0" : "-1",
          onclick: () => draw(b.depth === 0 || b.name === name ? "" : b.frame ? b.name : name),
        },
        bareName(called),
      );
      box.style.left = `${100 * b.from}%`;
      box.style.width = `calc(${100 * (b.to - b.from)}% - 1px)`;
      box.style.top = `${b.depth * callHeight}px`;
      if (!b.frame && b.depth > 0) box.style.background = inks.states.lock;
      picture.append(box);
    }
    const value = name ? t("below", { value: unit(total), name: shortName(name) }) : unit(total);
    el.replaceChildren(
      h("p", { class: "place" }, a.partial ? t("andmore", { value }) : value),
      h("div", { class: "flame-scroll", tabindex: "0", role: "region", "aria-label": t("flamescroll") }, picture),
    );
  };
  draw(focus);
  return el;
}

/** The stacks from a function on. */
function below(a: StackAnswer, name: string): StackAnswer["stacks"] {
  return a.stacks.flatMap((s) => {
    let at = s.frames.length - 1; // the outermost call
    while (at >= 0 && a.frames[s.frames[at] as number]?.function !== name) at--;
    return at < 0 ? [] : [{ ...s, frames: s.frames.slice(0, at + 1) }];
  });
}

/** A histogram of lengths, with the length of one marked, and the longest ones to select. */
export function histogramOf(
  a: StayAnswer,
  states: readonly State[],
  mark: number,
  nameOf: (id: string) => string,
  go: (s: Stay) => void,
): HTMLElement {
  const most = Math.max(...a.buckets.map((b) => b.count), 1);
  const bars = a.buckets.map((b) => {
    const here = mark >= b.from && mark < b.to;
    const fill = h("span", { class: here ? "fill here" : "fill" });
    fill.style.width = `${Math.max((100 * b.count) / most, 1)}%`;
    return h(
      "tr",
      here ? { "aria-current": "true" } : {},
      h("th", { scope: "row" }, duration(b.from)),
      h("td", { class: "bar" }, fill),
      h("td", {}, number(b.count)),
      h("td", {}, percent(b.time, a.total)),
    );
  });
  return h(
    "div",
    { class: "histogram" },
    h("p", { class: "place" }, a.partial ? t("sum.partial", { text: sumOf(a) }) : sumOf(a)),
    h(
      "table",
      { class: "numbers" },
      h(
        "thead",
        {},
        h("tr", {}, column(t("column.from")), h("td", {}), column(t("column.spans")), column(t("column.time"))),
      ),
      h("tbody", {}, ...bars),
    ),
    h("h3", {}, t("longestspans")),
    h(
      "ol",
      { class: "spans" },
      ...a.longest.map((s) =>
        h(
          "li",
          {},
          h(
            "button",
            { type: "button", class: "plain", onclick: () => go(s) },
            h("span", { class: "long" }, duration(s.to - s.from)),
            h("span", {}, states[s.state]?.name ?? ""),
            h("span", { class: "place" }, placeOf(nameOf(s.id), exactTime(s.from))),
          ),
        ),
      ),
    ),
  );
}

/** The heading of a column. */
function column(name: string): HTMLElement {
  return h("th", { scope: "col" }, name);
}

/** How many spans there are, and how long they are. */
function sumOf(a: StayAnswer): string {
  const words = { count: number(a.count), n: a.count, total: duration(a.total) };
  return a.count > 0 ? t("sum.spans", { ...words, mean: duration(a.total / a.count) }) : t("sum.none", words);
}

/** Where a span is, in words. */
function placeOf(name: string, at: string): string {
  return name ? t("whoat", { name, at }) : t("at", { at });
}

/** The minimum mutator utilization as a curve, and as a table that leads to the worst windows. */
export function utilizationOf(a: UtilizationAnswer, go: (from: number, to: number) => void): HTMLElement {
  const ns = "http://www.w3.org/2000/svg";
  const [width, height] = [560, 180];
  const svg = document.createElementNS(ns, "svg");
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.setAttribute("class", "curve");
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", t("utilization.curve"));
  const ends = [a.points[0]?.window ?? 1, a.points[a.points.length - 1]?.window ?? 10] as const;
  const x = (w: number) => 40 + ((width - 50) * Math.log(w / ends[0])) / Math.max(Math.log(ends[1] / ends[0]), 1);
  const y = (share: number) => height - 24 - (height - 34) * share;
  const add = (tag: string, attributes: Record<string, string>, text = "") => {
    const el = document.createElementNS(ns, tag);
    for (const [k, v] of Object.entries(attributes)) el.setAttribute(k, v);
    el.textContent = text;
    svg.append(el);
  };
  for (const share of [0, 0.25, 0.5, 0.75, 1]) {
    add("line", { x1: "40", x2: String(width - 10), y1: String(y(share)), y2: String(y(share)), class: "grid" });
    add("text", { x: "34", y: String(y(share) + 4), "text-anchor": "end" }, `${share * 100}%`);
  }
  for (const p of a.points)
    if (/^1/.test(String(p.window)))
      add("text", { x: String(x(p.window)), y: String(height - 6), "text-anchor": "middle" }, duration(p.window));
  add("polyline", { points: a.points.map((p) => `${x(p.window)},${y(p.share)}`).join(" "), class: "line" });
  return h(
    "div",
    {},
    svg as unknown as HTMLElement,
    h(
      "div",
      { class: "curve-table", tabindex: "0", role: "region", "aria-label": t("utilization") },
      h(
        "table",
        { class: "numbers" },
        h("thead", {}, h("tr", {}, column(t("column.window")), column(t("column.least")), column(t("column.where")))),
        h(
          "tbody",
          {},
          ...a.points.map((p) =>
            h(
              "tr",
              {},
              h("th", { scope: "row" }, duration(p.window)),
              h("td", {}, percent(p.share, 1)),
              h(
                "td",
                {},
                h(
                  "button",
                  { type: "button", class: "plain link", onclick: () => go(p.at, p.at + p.window) },
                  exactTime(p.at),
                ),
              ),
            ),
          ),
        ),
      ),
    ),
    a.partial ? h("p", { class: "place" }, t("utilization.partial")) : null,
  );
}
