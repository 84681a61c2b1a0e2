import type {
  BenchDoc,
  BenchPageCell,
  BenchPageChange,
  BenchPagePairs,
  BenchPageRow,
  BenchPageTable,
} from "../api/bench.ts";
import { drawPairs, pairsHeight } from "../draw/pairs.ts";
import { axisHeight, columnColors, drawStrip, laneHeight } from "../draw/strip.ts";
import {
  arrange,
  axisRange,
  benchHash,
  benchState,
  mainChange,
  percentChange,
  probability,
  type BenchState,
  type Order,
  type Show,
} from "../lib/bench.ts";
import { scaled } from "../lib/benchunit.ts";
import { benchTexts } from "../texts/bench.ts";
import { word } from "./benchwords.ts";
import { choice, h } from "./dom.ts";
import { bindSearch } from "./searchbox.ts";
import { Picture, pointerTip, type Drawing } from "./plot.ts";
import { themeButton } from "./themebutton.ts";

const { t } = benchTexts;

/** The number of benchmarks of a table added to the page at a time. */
const step = 250;

/** Builds the page; shell: within whet ui, whose header has the theme. */
export function startBench(doc: BenchDoc, root: HTMLElement, shell = false): void {
  const live = h("p", { class: "live", "aria-live": "polite" });
  const say = (text: string) => {
    live.textContent = text;
  };
  const tip = pointerTip();
  const pictures = new Map<Element, Picture>();
  const watch = new IntersectionObserver(
    (entries) => {
      for (const e of entries) pictures.get(e.target)?.show(e.isIntersecting);
    },
    { rootMargin: "400px" },
  );
  const redraw = () => {
    for (const p of pictures.values()) p.draw();
  };
  const theme = themeButton(redraw, shell);
  const lists = h("div", { class: "lists" });
  let width = 0;
  new ResizeObserver(() => {
    if (width !== lists.clientWidth) redraw();
    width = lists.clientWidth;
  }).observe(lists);

  const picture = (drawing: Drawing): HTMLElement => {
    const p = new Picture(drawing, { ...tip, say });
    pictures.set(p.el, p);
    watch.observe(p.el);
    return p.el;
  };

  let state = benchState(location.hash);
  const more = new Map<BenchPageTable, number>();
  const found = h("span", { class: "about", role: "status" });
  const input = h("input", {
    type: "search",
    placeholder: t("filter"),
    "aria-label": t("filter"),
    value: state.query,
    oninput: () => set({ query: input.value }),
  });
  const units = [...new Set(doc.tables.map((table) => table.unit))];
  const unit = select(t("unit.label"), [["", t("unit.all")], ...units.map((u): [string, string] => [u, u])], (v) =>
    set({ unit: v }),
  );
  const order = select(
    t("order.label"),
    [
      ["change", t("order.change")],
      ["delta", t("order.delta")],
      ["name", t("order.name")],
      ["file", t("order.file")],
    ],
    (v) => set({ order: v as Order }),
  );
  const show = choice(
    t("show.label"),
    [
      ["all", t("show.all")],
      ["changed", t("show.changed")],
      ["worse", t("show.worse")],
      ["better", t("show.better")],
    ],
    (v) => set({ show: v as Show }),
  );

  function set(part: Partial<BenchState>): void {
    state = { ...state, ...part };
    more.clear();
    const hash = benchHash(state);
    try {
      history.replaceState(null, "", hash ? `#${hash}` : location.pathname + location.search);
    } catch {
      // Some browsers limit changes per second, or allow none for files.
    }
    fill();
  }

  function fill(): void {
    unit.value = units.includes(state.unit) ? state.unit : "";
    order.value = state.order;
    show.show(state.show);
    watch.disconnect();
    pictures.clear();
    tip.hide();
    let rows = 0;
    const all = doc.tables.filter((table) => unit.value === "" || table.unit === unit.value);
    const sections = all.map((table) => {
      const chosen = arrange(table.rows, state);
      rows += chosen.length;
      return chosen.length > 0 && section(table, chosen);
    });
    const total = all.reduce((n, table) => n + table.rows.length, 0);
    found.textContent = rows === total ? t("results", { n: total }) : t("results.some", { n: rows, all: total });
    lists.replaceChildren(...sections.filter((s) => s !== false));
    if (rows === 0) lists.append(h("p", { class: "about" }, t("nothing")));
    const first = lists.querySelector<HTMLElement>(".picture");
    if (first) first.tabIndex = 0;
  }

  /** Arrow keys up and down move between benchmarks. */
  lists.addEventListener("keydown", (e) => {
    const all = [...lists.querySelectorAll<HTMLElement>(".picture")];
    const at = all.indexOf(e.target as HTMLElement);
    if (at < 0) return;
    const to = new Map([
      ["ArrowDown", at + 1],
      ["ArrowUp", at - 1],
      ["Home", 0],
      ["End", all.length - 1],
    ]).get(e.key);
    const next = to === undefined ? undefined : all[to];
    if (!next) return;
    e.preventDefault();
    next.focus();
    next.scrollIntoView({ block: "nearest" });
  });
  lists.addEventListener("focusin", (e) => {
    const now = e.target as HTMLElement;
    if (!now.classList.contains("picture")) return;
    for (const el of lists.querySelectorAll<HTMLElement>('.picture[tabindex="0"]')) el.tabIndex = -1;
    now.tabIndex = 0;
  });

  function section(table: BenchPageTable, rows: BenchPageRow[]): HTMLElement {
    const shown = more.get(table) ?? step;
    const title = t("astable", { title: table.unit });
    const list = h("ol", { class: "benchmarks" }, ...rows.slice(0, shown).map((r) => card(table, r)));
    const all = h(
      "details",
      {
        ontoggle: () =>
          all.children.length < 2 &&
          all.append(
            h(
              "div",
              { class: "scroll", tabindex: "0", role: "region", "aria-label": title },
              dataTable(table, rows),
            ),
          ),
      },
      h("summary", {}, title),
    );
    return h(
      "section",
      {},
      h("h2", {}, table.unit),
      table.config.length > 0 &&
        h("p", { class: "about" }, table.config.map((f) => `${f.name}: ${f.value}`).join(" · ")),
      all,
      list,
      rows.length > shown &&
        h(
          "button",
          {
            type: "button",
            onclick: () => {
              more.set(table, shown + step);
              fill();
            },
          },
          t("more", { n: Math.min(step, rows.length - shown), all: rows.length }),
        ),
      ...table.notes.map((n) => h("p", { class: "about" }, n)),
    );
  }

  function card(table: BenchPageTable, row: BenchPageRow): HTMLElement {
    const binary = table.binary;
    const value = (v: number) => `${scaled(v, binary)} ${table.unit}`;
    const range = axisRange(row.cells);
    const main = mainChange(row);
    const strip: Drawing = {
      name: t("strip", { name: row.name, cells: sentences(row.cells.map((c) => describe(table, c))) }),
      height: row.cells.length * laneHeight + axisHeight,
      draw: (canvas, width, mark) => drawStrip(canvas, width, { lanes: row.cells, binary, range }, mark),
      say: (s) => {
        const cell = row.cells[s.lane] as BenchPageCell;
        const column = table.columns[cell.column] ?? "";
        if (s.index < 0) {
          const center = { column, center: word(table.center), value: value(cell.center) };
          const range = { spread: word(table.spread), low: value(cell.low), high: value(cell.high) };
          return cell.bounded ? t("center.range", { ...center, ...range }) : t("center", center);
        }
        return t("point", {
          column,
          value: value(cell.values[s.index] as number),
          i: s.index + 1,
          n: cell.values.length,
        });
      },
      visit: (spots) =>
        [...spots].sort(
          (a, b) =>
            a.lane - b.lane ||
            (row.cells[a.lane]?.values[a.index] ?? -Infinity) - (row.cells[b.lane]?.values[b.index] ?? -Infinity),
        ),
    };
    return h(
      "li",
      { class: `benchmark ${main?.verdict ?? ""}` },
      h(
        "h3",
        {},
        row.name,
        main && main.words !== "no change shown"
          ? h("span", { class: `verdict-word ${main.verdict}` }, `${main.text} ${word(main.words)}`)
          : null,
      ),
      h("div", { class: "lanes" }, lanes(table, row), row.cells.length > 0 && picture(strip)),
      ...row.pairs.map((p) =>
        h(
          "figure",
          {},
          h("figcaption", { class: "about" }, ratioText(p)),
          picture({
            name: t("pairs", { name: row.name, n: p.ratios.length }),
            height: pairsHeight,
            draw: (canvas, width, mark) => drawPairs(canvas, width, p, mark),
            say: (s) =>
              t("pair", {
                i: s.index + 1,
                n: p.ratios.length,
                change: percentChange((p.ratios[s.index] as number) - 1),
              }),
            visit: (spots) => [...spots],
          }),
        ),
      ),
      ...row.notes.map((n) => h("p", { class: "about" }, n)),
    );
  }

  const main = h(
    "main",
    { class: "page" },
    h(
      "header",
      {},
      h("h1", {}, doc.title),
      doc.facts.length > 0 && h("p", { class: "setting" }, doc.facts.map((f) => `${f.name}: ${f.value}`).join(" · ")),
      h("div", { class: "corner" }, theme.el),
    ),
    doc.verdict.length > 0 &&
      h(
        "section",
        { class: "headline", "aria-label": t("verdict") },
        ...doc.verdict.map((v) => h("p", { class: v.tone }, v.text)),
      ),
    ...doc.notes.map((n) => h("p", { class: "about" }, t("note", { text: n }))),
    summary(doc, (table) => set({ unit: table.unit, query: "", show: "all" })),
    h(
      "details",
      { class: "about" },
      h("summary", {}, t("how")),
      `${howText(doc.tables[0])} ${doc.legend}`,
    ),
    h(
      "div",
      { class: "toolbar", role: "search" },
      h("div", { class: "search" }, input),
      show.el,
      h("label", {}, h("span", {}, t("head.unit")), unit),
      h("label", {}, h("span", {}, t("head.order")), order),
      found,
    ),
    lists,
    live,
    tip.el,
  );
  root.append(main);
  bindSearch(input, () => (state = benchState(location.hash)).query, fill);
  fill();
  theme.paint();
  main.dataset.ready = "";
}

function select(name: string, options: [string, string][], pick: (value: string) => void): HTMLSelectElement {
  const el = h(
    "select",
    { "aria-label": name, onchange: () => pick(el.value) },
    ...options.map(([value, text]) => h("option", { value }, text)),
  );
  return el;
}

function describe(table: BenchPageTable, c: BenchPageCell): string {
  const change = c.changes[0];
  const column = table.columns[c.column] ?? "";
  const words = { column, center: word(table.center), value: c.text, range: c.range, n: c.n };
  return change
    ? t("cell.change", { ...words, change: change.text, verdict: word(change.words) })
    : t("cell", words);
}

/** Sentences after one another; the last one has no period yet. */
function sentences(all: readonly string[]): string {
  return all.length > 0 ? all.reduce((a, b) => t("cells", { a, b })) : "";
}

/** What the ratios of pairs of rounds come to. */
function ratioText(p: BenchPagePairs): string {
  const ratio = percentChange(p.ratio - 1);
  return p.bounded
    ? t("ratio.range", { ratio, low: percentChange(p.low - 1), high: percentChange(p.high - 1) })
    : t("ratio", { ratio });
}

/** Explains the drawings, for the table that is the first one. */
function howText(table: BenchPageTable | undefined): string {
  return t("how.text", {
    center: table ? word(table.center) : t("how.center"),
    spread: table ? word(table.spread) : t("how.spread"),
  });
}

/** The columns of a benchmark, a line for each lane of the drawing next to it. */
function lanes(table: BenchPageTable, row: BenchPageRow): HTMLElement {
  const changes = row.cells.some((c) => c.changes.length > 0);
  const heads = [t("head.side"), word(table.center), "±", ...(changes ? [t("head.change"), "p", "q"] : []), "n"];
  return h(
    "table",
    { class: "lane-table" },
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        ...heads.map((text) => h("th", { scope: "col", class: text === "p" || text === "q" ? "stat" : "" }, text)),
      ),
    ),
    h(
      "tbody",
      {},
      ...row.cells.map((c) =>
        h(
          "tr",
          {},
          h(
            "th",
            { scope: "row", title: table.columns[c.column] },
            swatch(c.column),
            h("span", {}, table.columns[c.column] ?? ""),
          ),
          h("td", {}, c.text),
          h("td", { class: "quiet" }, c.range),
          ...(changes ? changeCells(c.changes[0]) : []),
          h("td", { class: "quiet" }, `n=${c.n}`),
        ),
      ),
    ),
  );
}

function changeCells(d: BenchPageChange | undefined): HTMLElement[] {
  if (!d) return [h("td", {}), h("td", { class: "stat" }), h("td", { class: "stat" })];
  return [
    h("td", { class: `delta ${d.verdict}`, title: word(d.words) }, d.text),
    h("td", { class: "quiet stat" }, ...named("p", d.p)),
    h("td", { class: "quiet stat" }, ...named("q", d.q)),
  ];
}

/** "p=0.012" or "p<0.001"; the letter is left out if the column has a heading. */
function named(letter: string, p: number): (HTMLElement | string)[] {
  const text = probability(p);
  return text.startsWith("<")
    ? [h("span", { class: "letter" }, letter), text]
    : [h("span", { class: "letter" }, `${letter}=`), text];
}

function swatch(column: number): HTMLElement {
  return h("span", { class: `dot column-${column % columnColors.length}`, "aria-hidden": "true" });
}

/** All figures of a table's benchmarks, without the drawings. */
function dataTable(table: BenchPageTable, rows: BenchPageRow[]): HTMLElement {
  const changes = rows.some((r) => r.cells.some((c) => c.changes.length > 0));
  const heads = table.columns.flatMap((name, k) => [
    `${name} ${table.unit}`,
    "±",
    "n",
    ...(changes && k > 0 ? [t("head.change"), "p", "q", t("head.verdict")] : []),
  ]);
  return h(
    "table",
    { class: "table" },
    h("caption", {}, t("benchmarks", { n: rows.length, all: table.rows.length, unit: table.unit })),
    h(
      "thead",
      {},
      h("tr", {}, ...[t("head.benchmark"), ...heads].map((text) => h("th", { scope: "col" }, text))),
    ),
    h(
      "tbody",
      {},
      ...rows.map((r) =>
        h(
          "tr",
          {},
          h("th", { scope: "row" }, r.name),
          ...table.columns.flatMap((_, k) => {
            const c = r.cells.find((cell) => cell.column === k);
            const d = c?.changes[0];
            const texts = [c?.text ?? "", c?.range ?? "", c ? String(c.n) : ""];
            if (changes && k > 0)
              texts.push(d?.text ?? "", d ? probability(d.p) : "", d ? probability(d.q) : "", d ? word(d.words) : "");
            return texts.map((text) => h("td", {}, text));
          }),
        ),
      ),
    ),
  );
}

/** The verdicts of each table, with the geometric means. */
function summary(doc: BenchDoc, go: (table: BenchPageTable) => void): HTMLElement | false {
  const most = Math.max(0, ...doc.tables.map((table) => table.columns.length));
  if (most === 0) return false;
  const verdicts: [string, string][] = [
    ["worse", t("word.worse")],
    ["better", t("word.better")],
    ["changed", t("word.changed")],
    ["undecided", t("word.undecided")],
    ["same", t("word.unchanged")],
  ];
  const count = (table: BenchPageTable, verdict: string) =>
    table.rows.filter((r) => {
      const v = mainChange(r)?.verdict;
      return verdict === "same" ? v === "same" || v === "chance" : v === verdict;
    }).length;
  const used = verdicts.filter(([v]) => doc.tables.some((table) => count(table, v) > 0));
  const configs = doc.tables.some((table) => JSON.stringify(table.config) !== JSON.stringify(doc.tables[0]?.config));
  return h(
    "section",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": t("summary") },
    h(
      "table",
      { class: "table" },
      h("caption", {}, t("summary")),
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          ...[t("head.unit"), t("head.benchmarks"), ...used.map(([, text]) => text), t("head.means")].map((text) =>
            h("th", { scope: "col" }, text),
          ),
        ),
      ),
      h(
        "tbody",
        {},
        ...doc.tables.map((table) =>
          h(
            "tr",
            {},
            h(
              "th",
              { scope: "row" },
              h("button", { type: "button", class: "plain", title: t("alone"), onclick: () => go(table) }, table.unit),
              configs ? h("span", { class: "place" }, ` ${table.config.map((f) => f.value).join(" · ")}`) : null,
            ),
            h("td", {}, String(table.rows.length)),
            ...used.map(([v]) => h("td", { class: `delta ${count(table, v) > 0 ? v : ""}` }, String(count(table, v)))),
            h(
              "td",
              { class: "means" },
              table.means.length === 0
                ? ""
                : h(
                    "span",
                    {},
                    ...table.means.map((m, k) =>
                      h(
                        "span",
                        { class: "mean" },
                        swatch(k),
                        `${table.columns[k] ?? ""} ${m.center}${m.change ? ` (${m.change})` : ""}`,
                      ),
                    ),
                  ),
            ),
          ),
        ),
      ),
    ),
  );
}
