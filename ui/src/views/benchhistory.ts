import type { HistoryDoc, HistoryPoint, HistorySeries } from "../api/benchhistory.ts";
import { Plot, type Chart } from "../draw/chart.ts";
import { axisStart, chosen, columns, historyHash, historyState, type HistoryState } from "../lib/benchhistory.ts";
import { scaled } from "../lib/benchunit.ts";
import { benchTexts } from "../texts/bench.ts";
import { word } from "./benchwords.ts";
import { dataTable } from "./datatable.ts";
import { choice, h } from "./dom.ts";
import { changesTable, commitLink, Commits, verdictText } from "./historycommits.ts";
import { bindHelp, pageHelp, type Help } from "./pagehelp.ts";
import { bindSearch } from "./searchbox.ts";
import { themeButton } from "./themebutton.ts";

const { t } = benchTexts;

/** The number of charts added to the page at a time. */
const step = 200;

const verdictColors: Record<string, string> = { worse: "--bad", better: "--good" };

/** The help of the page. */
function historyHelp(): Help {
  return {
    title: t("help.title"),
    about: [t("help.charts"), t("help.links")],
    keys: [
      ["/", t("help.filter")],
      ["← →, Home, End", t("help.points")],
      ["Enter", t("help.enter")],
    ],
  };
}

/** Builds the page; shell: within whet ui, whose header has the theme and the help, which is returned. */
export function startHistory(doc: HistoryDoc, root: HTMLElement, shell = false): Help {
  const about = historyHelp();
  const help = pageHelp({ ...about, keys: [...about.keys, ["?", t("help.help")]] }, t("close"));
  const live = h("p", { class: "live", "aria-live": "polite" });
  const plots = new Map<Element, Plot>();
  const theme = themeButton(() => {
    for (const p of plots.values()) if (p.drawn) p.draw();
  }, shell);
  const watch = new IntersectionObserver(
    (entries) => {
      for (const e of entries) {
        const p = plots.get(e.target);
        if (p && e.isIntersecting !== p.drawn) e.isIntersecting ? p.draw() : p.clear();
      }
    },
    { rootMargin: "500px" },
  );
  const grid = h("div", { class: "grid" });
  const found = h("span", { class: "about", role: "status" });
  let state = historyState(location.hash);
  let shown = step;
  const input = h("input", {
    type: "search",
    placeholder: t("filter"),
    "aria-label": t("filter"),
    value: state.query,
    oninput: () => set({ query: input.value }),
  });
  const units = [...new Set(doc.series.map((s) => s.unit))];
  const unit = h(
    "select",
    { "aria-label": t("unit.label"), onchange: () => set({ unit: unit.value }) },
    h("option", { value: "" }, t("unit.all")),
    ...units.map((u) => h("option", { value: u }, u)),
  );
  const show = choice(
    t("show.label"),
    [
      ["all", t("show.all")],
      ["changed", t("show.changed")],
    ],
    (v) => set({ changed: v === "changed" }),
  );

  function set(part: Partial<HistoryState>): void {
    state = { ...state, ...part };
    shown = step;
    const hash = historyHash(state);
    try {
      history.replaceState(null, "", hash ? `#${hash}` : location.pathname + location.search);
    } catch {
      // Some browsers limit changes per second, or allow none for files.
    }
    fill();
  }

  const commits = new Commits(doc, (part) => set(part));

  function fill(): void {
    commits.show(state);
    unit.value = units.includes(state.unit) ? state.unit : "";
    show.show(state.changed ? "changed" : "all");
    watch.disconnect();
    for (const p of plots.values()) p.clear();
    plots.clear();
    const some = chosen(doc.series, { ...state, unit: unit.value });
    const [n, all] = [some.length, doc.series.length];
    found.textContent = n === all ? t("series", { n }) : t("series.some", { n, all });
    grid.replaceChildren(...some.slice(0, shown).map(card));
    if (some.length === 0) grid.append(h("p", { class: "about" }, t("series.none")));
    if (some.length > shown) {
      const more = h(
        "button",
        {
          type: "button",
          onclick: () => {
            shown += step;
            fill();
          },
        },
        t("more", { n: Math.min(step, some.length - shown), all: some.length }),
      );
      grid.append(h("p", {}, more));
    }
  }

  /** A description of a commit. */
  const commit = (i: number) => {
    const c = doc.commits[i];
    return c ? [c.short, c.time, c.subject].filter(Boolean).join(" · ") : "";
  };

  function card(s: HistorySeries): HTMLElement {
    const value = (v: number) => `${scaled(v, s.binary)} ${s.unit}`;
    const data = columns(s);
    const xs = data[0] as number[];
    const at = new Map(s.points.map((p) => [p.commit, p]));
    const reading = h("p", { class: "reading about" });
    const changes = s.changes
      .map((c) => t("change", { commit: doc.commits[c.at]?.short ?? "", change: c.text, verdict: word(c.verdict) }))
      .join("; ");
    const list = h(
      "ul",
      { class: "changes-of" },
      ...s.changes.map((c) => {
        const at = doc.commits[c.at];
        return h(
          "li",
          {},
          commitLink(doc, c.at, c.after, at?.short ?? ""),
          ` ${c.text} `,
          verdictText(c.verdict),
          at?.subject ? h("span", { class: "subject" }, ` ${at.subject}`) : null,
        );
      }),
    );
    let read = -1; // the commit that is read out
    const chart: Chart = {
      title: `${s.name} ${s.unit}`,
      columns: data,
      series: [
        { name: t("head.low"), color: "--series-1", kind: "edge" },
        { name: t("head.high"), color: "--series-1", kind: "edge" },
        { name: s.name, color: "--series-1", kind: "line" },
        { name: t("head.level"), color: "--series-2", kind: "line", dashed: true },
      ],
      x: {
        label: t("head.commit"),
        log: false,
        text: (v) => (Number.isInteger(v) ? (doc.commits[v]?.short.slice(0, 8) ?? "") : ""),
      },
      y: { label: s.unit, log: false, text: (v) => scaled(v, s.binary), from: axisStart },
      band: { low: 0, high: 1, color: "--series-1" },
      marks: s.changes.map((c) => ({ x: (c.after + c.at) / 2, color: verdictColors[c.verdict] ?? "--text" })),
      read: (index) => {
        const i = index === null ? undefined : xs[index];
        read = i ?? -1;
        if (i === undefined) return (reading.textContent = "");
        const change = s.changes.find((c) => c.at === i);
        const measured = measuredText(commit(i), at.get(i), value);
        return (reading.textContent = change
          ? t("measured.changed", { measured, change: change.text, verdict: word(change.verdict) })
          : measured);
      },
    };
    const el = h("div", {
      class: "plot",
      tabindex: "0",
      role: "img",
      "aria-label": changes
        ? t("along", { title: chart.title, n: xs.length, changes })
        : t("along.same", { title: chart.title, n: xs.length }),
      onkeydown: (e: KeyboardEvent) => {
        if (e.key !== "Enter" || read < 0) return;
        set({ commit: doc.commits[read]?.hash ?? "", base: "" });
        commits.el.scrollIntoView({ block: "nearest" });
      },
    });
    plots.set(el, new Plot(el, chart, (text) => (live.textContent = text), true));
    watch.observe(el);
    const table = h(
      "details",
      {
        ontoggle: () =>
          table.children.length < 2 &&
          table.append(
            h(
              "div",
              { class: "scroll", tabindex: "0", role: "region", "aria-label": t("astable", { title: chart.title }) },
              dataTable({
                caption: chart.title,
                columns: [
                  t("head.commit"),
                  t("head.time"),
                  s.unit,
                  t("head.low"),
                  t("head.high"),
                  "n",
                  t("head.subject"),
                ],
                rows: s.points.map((p) => [
                  doc.commits[p.commit]?.short ?? "",
                  doc.commits[p.commit]?.time ?? "",
                  scaled(p.center, s.binary),
                  p.bounded ? scaled(p.low, s.binary) : "",
                  p.bounded ? scaled(p.high, s.binary) : "",
                  String(p.n),
                  doc.commits[p.commit]?.subject ?? "",
                ]),
              }),
            ),
          ),
      },
      h("summary", {}, t("table")),
    );
    return h(
      "section",
      { class: "half series" },
      h("h2", {}, s.name, h("span", { class: "unit" }, s.unit)),
      h("p", { class: "about" }, s.about),
      s.changes.length > 0 ? list : null,
      h("div", { class: "chart" }, el),
      reading,
      table,
    );
  }

  const open = () => help.showModal();
  const main = h(
    "main",
    { class: "page" },
    h(
      "header",
      {},
      h("h1", {}, doc.title),
      h("p", { class: "setting" }, doc.facts.map((f) => `${f.name}: ${f.value}`).join(" · ")),
      h(
        "div",
        { class: "corner" },
        theme.el,
        h(
          "button",
          { type: "button", title: t("keys.title"), "aria-label": t("keys"), hidden: shell, onclick: open },
          "?",
        ),
      ),
    ),
    ...doc.notes.map((n) => h("p", { class: "about" }, t("note", { text: n }))),
    commits.el,
    doc.changes.length > 0
      ? h(
          "section",
          { class: "scroll", tabindex: "0", role: "region", "aria-label": t("changes") },
          changesTable(doc),
        )
      : h("p", {}, t("changes.none")),
    ...doc.tables.map((table) =>
      h(
        "section",
        { class: "scroll gates", tabindex: "0", role: "region", "aria-label": table.caption },
        dataTable(table),
      ),
    ),
    h("p", { class: "about" }, doc.legend),
    h(
      "div",
      { class: "toolbar", role: "search" },
      h("div", { class: "search" }, input),
      show.el,
      h("label", {}, h("span", {}, t("head.unit")), unit),
      found,
    ),
    h("section", {}, grid),
    live,
    help,
  );
  for (const cell of main.querySelectorAll<HTMLElement>(".gates td:last-child")) {
    if (cell.textContent === "fails") cell.replaceChildren(verdictText("fails"));
  }
  root.append(main);
  bindSearch(input, () => (state = historyState(location.hash)).query, fill);
  fill();
  theme.paint();
  if (!shell) bindHelp(help);
  main.dataset.ready = "";
  return about;
}

/** What was measured of a series at a commit; value formats a number of the series. */
function measuredText(commit: string, p: HistoryPoint | undefined, value: (v: number) => string): string {
  if (!p) return t("measured.not", { commit });
  const center = value(p.center);
  const range = p.bounded ? t("range", { center, low: value(p.low), high: value(p.high) }) : center;
  return p.runs > 1
    ? t("measured.runs", { commit, value: range, n: p.n, runs: p.runs })
    : t("measured", { commit, value: range, n: p.n });
}
