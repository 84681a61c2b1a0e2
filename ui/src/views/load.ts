import type { LoadDoc, LoadRun, Table } from "../api/load.ts";
import { Plot, type Chart, type Part, type Series } from "../draw/chart.ts";
import { hashOf, partsOf } from "../lib/chartparts.ts";
import { align, ms, percentileLabel, perSecond, thin, whole } from "../lib/load.ts";
import { loadTexts } from "../texts/load.ts";
import { dataTable } from "./datatable.ts";
import { h } from "./dom.ts";
import { themeButton } from "./themebutton.ts";

const { t } = loadTexts;

/** The maximum number of rows in a chart's table: a long run would have thousands. */
const mostRows = 240;

const colors = ["--series-1", "--series-2", "--series-3"];
const outcomeColors = [
  "--series-1",
  "--bad",
  "--series-2",
  "--series-3",
  "--series-4",
  "--series-5",
  "--series-6",
  "--quiet",
];

/** Builds the page and returns its charts; shell: within whet ui, whose header has the theme. */
export function startLoad(doc: LoadDoc, root: HTMLElement, shell = false): readonly Plot[] {
  const plots: Plot[] = [];
  const live = h("p", { class: "live", "aria-live": "polite" });
  const say = (text: string) => {
    live.textContent = text;
  };
  const theme = themeButton(() => {
    for (const p of plots) p.draw();
  }, shell);

  // The link has the part of each chart that is shown.
  const parts = partsOf(location.hash);
  const show = (chart: number, part: Part | null) => {
    if (part) parts.set(chart, part);
    else parts.delete(chart);
    const hash = hashOf(parts);
    history.replaceState(null, "", hash === "" ? location.pathname + location.search : `#${hash}`);
  };

  const charts = h("div", { class: "grid" });
  const add = (chart: Chart, about: string, wide: boolean, table: Table) => {
    const plot = h("div", {
      class: "plot",
      tabindex: "0",
      role: "img",
      "aria-label": t("plot", { title: chart.title, about }),
    });
    charts.append(
      h(
        "section",
        { class: wide ? "wide" : "half" },
        h("h2", {}, chart.title),
        h("p", { class: "about" }, about),
        h("div", { class: "chart" }, plot),
        h(
          "details",
          {},
          h("summary", {}, t("astable", { title: chart.title })),
          h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": table.caption }, dataTable(table)),
        ),
      ),
    );
    const n = plots.length + 1;
    plots.push(new Plot(plot, { ...chart, part: parts.get(n) ?? null, shown: (part) => show(n, part) }, say));
  };

  const main = h(
    "main",
    { class: "page" },
    h(
      "header",
      {},
      h("h1", {}, doc.title),
      ...doc.runs.map((r) =>
        h(
          "p",
          { class: "setting" },
          [r.name, doc.title === r.target ? "" : r.target, r.setting].filter(Boolean).join(" · "),
        ),
      ),
      h("div", { class: "corner" }, theme.el),
    ),
    ...doc.runs.map(verdict),
    doc.notes.length > 0 && h("section", {}, ...doc.notes.map((n) => h("p", { class: "about" }, n))),
    ...doc.tables.map((table) =>
      h("section", { class: "scroll", tabindex: "0", role: "region", "aria-label": table.caption }, dataTable(table)),
    ),
    doc.runs.length > 0 && summary(doc.runs),
    h("section", {}, charts),
    live,
  );
  root.append(main);

  for (const knee of doc.knees) {
    const held = knee.points.filter((p) => p.held).map((p): [number, number] => [p.rate, p.value_ns / 1e6]);
    const missed = knee.points.filter((p) => !p.held).map((p): [number, number] => [p.rate, p.value_ns / 1e6]);
    const series: Series[] = [
      { name: t("knee.held"), color: "--good", kind: "points" },
      { name: t("knee.missed"), color: "--bad", kind: "points" },
    ];
    const data = [held, missed];
    if (knee.limit_ns > 0 && knee.points.length > 1) {
      const ends = [knee.points[0], knee.points[knee.points.length - 1]] as typeof knee.points;
      data.push(ends.map((p): [number, number] => [p.rate, knee.limit_ns / 1e6]));
      series.push({ name: t("knee.limit"), color: "--quiet", kind: "line", dashed: true });
    }
    const found = knee.capacity > 0 ? t("knee.found", { rate: perSecond(knee.capacity) }) : t("knee.none");
    add(
      {
        title: t("knee.title", { metric: knee.metric }),
        columns: joined(data),
        series,
        x: { label: t("requests"), log: false, text: perSecond },
        y: { label: knee.metric, log: wide(data), text: ms },
      },
      found,
      true,
      {
        caption: t("knee.table"),
        columns: [t("rate"), knee.metric, t("knee.objective")],
        rows: knee.points.map((p) => [
          perSecond(p.rate),
          ms(p.value_ns / 1e6),
          p.held ? t("knee.held") : t("knee.missed"),
        ]),
      },
    );
  }

  const runs = doc.runs.filter((r) => r.percentiles.length > 0);
  if (runs.length > 0) {
    const most = Math.max(...runs.map((r) => r.percentiles[r.percentiles.length - 1]?.inverse ?? 1));
    const decades = [
      1,
      2,
      ...Array.from({ length: Math.max(1, Math.ceil(Math.log10(most))) }, (_, i) => 10 ** (i + 1)),
    ];
    add(
      {
        title: t("percentiles.title"),
        columns: joined(runs.map((r) => r.percentiles.map((p) => [p.inverse, p.ms]))),
        series: each(runs, t("latency"), "line"),
        x: { label: t("percentile"), log: true, text: percentileLabel, splits: decades.filter((v) => v <= most) },
        y: { label: t("latency"), log: false, text: ms },
      },
      t("percentiles.about"),
      true,
      table(
        t("percentiles.title"),
        t("percentile"),
        runs.map((r) => r.percentiles.map((p) => [p.inverse, p.ms])),
        names(runs, t("latency")),
        percentileLabel,
        ms,
      ),
    );
    const bars = runs.map((r) => steps(r));
    add(
      {
        title: t("distribution.title"),
        columns: joined(bars),
        series: each(runs, t("share"), "steps"),
        x: { label: t("latency"), log: true, text: ms },
        y: { label: t("share"), log: false, text: share },
      },
      t("distribution.about"),
      false,
      table(t("distribution.title"), t("upto"), bars, names(runs, t("share")), ms, share),
    );
  }
  const timed = doc.runs.filter((r) => r.seconds.length > 0).map((r) => ({ ...r, seconds: whole(r.seconds) }));
  if (timed.length > 0) {
    const left = doc.runs.filter((r) => r.seconds.length > whole(r.seconds).length);
    const cut = left.map((r) => seconds(r.seconds[r.seconds.length - 1]?.length ?? 0));
    const list = cut.length > 0 ? cut.reduce((a, b) => t("and", { a, b })) : "";
    const partly = (about: string) => (list ? t("both", { a: about, b: t("partly", { list }) }) : about);
    const failing = timed.filter((r) => r.seconds.some((s) => s.failed > 0));
    const rates = [
      ...timed.map((r) => r.seconds.map((s): [number, number] => [s.at, s.rate])),
      ...failing.map((r) => r.seconds.map((s): [number, number] => [s.at, s.failed])),
    ];
    const rateNames = [...names(timed, t("answers")), ...names(failing, t("failed"))];
    add(
      {
        title: t("rate.title"),
        columns: joined(rates),
        series: [
          ...each(timed, t("answers"), "line"),
          ...names(failing, t("failed")).map((name): Series => ({ name, color: "--bad", kind: "line", dashed: true })),
        ],
        x: { label: t("time"), log: false, text: seconds },
        y: { label: t("rate"), log: false, text: perSecond },
      },
      partly(failing.length > 0 ? t("rate.failed") : t("rate.answers")),
      false,
      table(t("rate.title"), t("time"), rates, rateNames, seconds, perSecond),
    );
    const troubled = timed.filter((r) => r.outcomes.length > 0);
    if (troubled.length > 0) {
      const all = troubled.flatMap((r, run) => r.outcomes.map((o, i) => ({ r, run, o, i })));
      const data = all.map(({ r, o }) => r.seconds.map((s, i): [number, number] => [s.at, o.values[i] ?? 0]));
      const series = all.map(({ r, run, o, i }): Series => ({
        name: ofRun(r.name, o.name),
        color: outcomeColors[i % outcomeColors.length] as string,
        kind: "line",
        dashed: run > 0,
      }));
      add(
        {
          title: t("errors.title"),
          columns: joined(data),
          series,
          x: { label: t("time"), log: false, text: seconds },
          y: { label: t("rate"), log: false, text: perSecond },
        },
        partly(t("errors.about")),
        true,
        table(
          t("errors.title"),
          t("time"),
          data,
          series.map((s) => s.name),
          seconds,
          perSecond,
        ),
      );
    }
    const parts: { key: "p50" | "p99" | "max"; name: string; dashed: boolean }[] = [
      { key: "p50", name: "p50", dashed: false },
      { key: "p99", name: "p99", dashed: false },
      { key: "max", name: t("max"), dashed: true },
    ];
    const curves = timed.flatMap((r) =>
      parts.map((p) => r.seconds.filter((s) => s.max > 0).map((s): [number, number] => [s.at, s[p.key]])),
    );
    const series = timed.flatMap((r, i) =>
      parts.map((p, k): Series => ({
        name: ofRun(r.name, p.name),
        kind: "line",
        dashed: p.dashed || (timed.length > 1 && p.key === "p50"),
        color: (timed.length > 1 ? colors[i % colors.length] : colors[k]) as string,
      })),
    );
    add(
      {
        title: t("course.title"),
        columns: joined(curves),
        series,
        x: { label: t("time"), log: false, text: seconds },
        y: { label: t("latency"), log: wide(curves), text: ms },
      },
      partly(t("course.about")),
      true,
      table(
        t("course.title"),
        t("time"),
        curves,
        series.map((s) => s.name),
        seconds,
        ms,
      ),
    );
  }
  theme.paint();
  main.dataset.ready = "";
  return plots;
}

type Curve = [number, number][];

function joined(data: readonly (readonly (readonly [number, number])[])[]): (number | null)[][] {
  return align(data);
}

/** Reports whether the values span so much that only a logarithmic axis shows both ends. */
function wide(data: Curve[]): boolean {
  const all = data
    .flat()
    .map(([, y]) => y)
    .filter((y) => y > 0);
  return all.length > 0 && data.flat().every(([, y]) => y > 0) && Math.max(...all) > 50 * Math.min(...all);
}

/** A run's bars, preceded by an empty one at the start of the first. */
function steps(r: LoadRun): Curve {
  const bars = r.bars.map((b): [number, number] => [b.upper, b.share]);
  const first = bars[0];
  return first ? [[first[0] / 1.5, 0], ...bars] : [];
}

/** What is drawn of a run, with the run's name if it has one. */
function ofRun(run: string, what: string): string {
  return run ? t("ofrun", { run, what }) : what;
}

function names(runs: LoadRun[], what: string): string[] {
  return runs.map((r) => ofRun(r.name, what));
}

function each(runs: LoadRun[], what: string, kind: Series["kind"]): Series[] {
  return names(runs, what).map((name, i) => ({
    name,
    color: colors[i % colors.length] as string,
    kind,
    dashed: i >= colors.length,
  }));
}

function share(v: number): string {
  return `${v === 0 ? 0 : v < 0.1 ? v.toPrecision(1) : v.toFixed(1)}%`;
}

function seconds(v: number): string {
  return `${Number(v.toFixed(1))}s`;
}

/** The points of a chart as a table. */
function table(
  caption: string,
  x: string,
  data: readonly (readonly (readonly [number, number])[])[],
  columns: string[],
  xText: (v: number) => string,
  yText: (v: number) => string,
): Table {
  const [xs = [], ...ys] = align(data);
  const all = xs.map((v, i) => [
    xText(v as number),
    ...ys.map((col) => (col[i] === null || col[i] === undefined ? "" : yText(col[i] as number))),
  ]);
  const rows = thin(all, mostRows);
  return {
    caption: rows.length < all.length ? t("points", { title: caption, n: rows.length, all: all.length }) : caption,
    columns: [x, ...columns],
    rows,
  };
}

function verdict(r: LoadRun): HTMLElement {
  const say = (text: string) => (r.name ? t("said", { run: r.name, text }) : text);
  const notes = r.warnings.map((w) => h("p", { class: "about" }, t("note", { text: w })));
  if (r.reasons.length === 0) {
    return h(
      "section",
      { class: "verdict", "aria-label": say(t("verdict")) },
      h("p", {}, say(r.answered ? t("verdict.good") : t("verdict.none"))),
      ...notes,
    );
  }
  return h(
    "section",
    { class: "verdict distrust", "aria-label": say(t("verdict")) },
    h("p", {}, say(r.reasons.length === 1 ? t("verdict.reason") : t("verdict.reasons", { n: r.reasons.length }))),
    h("ul", {}, ...r.reasons.map((d) => h("li", {}, d.text, d.hint ? h("span", { class: "hint" }, d.hint) : null))),
    ...notes,
  );
}

/** Facts and latencies of all runs, side by side. */
function summary(runs: LoadRun[]): HTMLElement {
  const facts = [...new Set(runs.flatMap((r) => r.facts.map((f) => f.name)))];
  const rows = [...new Set(runs.flatMap((r) => r.latency.map((c) => c.name)))];
  const heads = runs.map((r, i) => r.name || (runs.length > 1 ? String(i + 1) : ""));
  const head = (first: string) =>
    runs.length > 1
      ? h("thead", {}, h("tr", {}, h("td", {}, first), ...heads.map((n) => h("th", { scope: "col" }, n))))
      : null;
  const chance = runs.some((r) => r.latency.some((c) => c.chance));
  return h(
    "section",
    { class: "summary" },
    h(
      "div",
      {},
      h(
        "table",
        { class: "table facts" },
        h("caption", {}, t("summary")),
        head(""),
        h(
          "tbody",
          {},
          ...facts.map((name) =>
            h(
              "tr",
              {},
              h("th", { scope: "row" }, name),
              ...runs.map((r) => h("td", {}, r.facts.find((f) => f.name === name)?.value ?? "")),
            ),
          ),
        ),
      ),
    ),
    rows.length > 0 &&
      h(
        "div",
        { class: "scroll", tabindex: "0", role: "region", "aria-label": t("summary.latency") },
        h(
          "table",
          { class: "table" },
          h("caption", {}, t("summary.latency")),
          head(""),
          h(
            "tbody",
            {},
            ...rows.map((name) =>
              h(
                "tr",
                {},
                h("th", { scope: "row" }, name),
                ...runs.map((r) => {
                  const c = r.latency.find((cell) => cell.name === name);
                  return h(
                    "td",
                    c?.chance ? { class: "chance", title: t("chance") } : {},
                    c ? c.text + (c.chance ? " ?" : "") : "",
                  );
                }),
              ),
            ),
          ),
        ),
        chance && h("p", { class: "about" }, `? ${t("chance")}`),
      ),
  );
}
