import type { BenchDoc, BenchPageCell, BenchPageChange, BenchPageRow, BenchPageTable } from "../api/bench.ts";
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
import { choice, h } from "./dom.ts";
import { bindSearch } from "./searchbox.ts";
import { Picture, pointerTip, type Drawing } from "./plot.ts";
import { themeButton } from "./themebutton.ts";

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
    placeholder: "Filter by name",
    "aria-label": "Filter by name",
    value: state.query,
    oninput: () => set({ query: input.value }),
  });
  const units = [...new Set(doc.tables.map((t) => t.unit))];
  const unit = select("Unit", [["", "all units"], ...units.map((u): [string, string] => [u, u])], (v) =>
    set({ unit: v }),
  );
  const order = select(
    "Order",
    [
      ["change", "by significance"],
      ["delta", "by change, worst of lower-is-better first"],
      ["name", "by name"],
      ["file", "as measured"],
    ],
    (v) => set({ order: v as Order }),
  );
  const show = choice(
    "Show",
    [
      ["all", "All"],
      ["changed", "Changed"],
      ["worse", "Worse"],
      ["better", "Better"],
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
    const all = doc.tables.filter((t) => unit.value === "" || t.unit === unit.value);
    const sections = all.map((t) => {
      const chosen = arrange(t.rows, state);
      rows += chosen.length;
      return chosen.length > 0 && section(t, chosen);
    });
    const total = all.reduce((n, t) => n + t.rows.length, 0);
    found.textContent = rows === total ? `${total} results` : `${rows} of ${total} results`;
    lists.replaceChildren(...sections.filter((s) => s !== false));
    if (rows === 0) lists.append(h("p", { class: "about" }, "No matching benchmark."));
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

  function section(t: BenchPageTable, rows: BenchPageRow[]): HTMLElement {
    const shown = more.get(t) ?? step;
    const list = h("ol", { class: "benchmarks" }, ...rows.slice(0, shown).map((r) => card(t, r)));
    const all = h(
      "details",
      {
        ontoggle: () =>
          all.children.length < 2 &&
          all.append(
            h(
              "div",
              { class: "scroll", tabindex: "0", role: "region", "aria-label": `${t.unit} as a table` },
              dataTable(t, rows),
            ),
          ),
      },
      h("summary", {}, `${t.unit} as a table`),
    );
    return h(
      "section",
      {},
      h("h2", {}, t.unit),
      t.config.length > 0 && h("p", { class: "about" }, t.config.map((f) => `${f.name}: ${f.value}`).join(" · ")),
      all,
      list,
      rows.length > shown &&
        h(
          "button",
          {
            type: "button",
            onclick: () => {
              more.set(t, shown + step);
              fill();
            },
          },
          `Show ${Math.min(step, rows.length - shown)} more of ${rows.length}`,
        ),
      ...t.notes.map((n) => h("p", { class: "about" }, n)),
    );
  }

  function card(t: BenchPageTable, row: BenchPageRow): HTMLElement {
    const binary = t.binary;
    const value = (v: number) => `${scaled(v, binary)} ${t.unit}`;
    const range = axisRange(row.cells);
    const main = mainChange(row);
    const strip: Drawing = {
      name:
        `${row.name}, measurements. ${row.cells.map((c) => describe(t, c)).join(". ")}. ` +
        "Left and right arrow keys read out the points, up and down move to other benchmarks.",
      height: row.cells.length * laneHeight + axisHeight,
      draw: (canvas, width, mark) => drawStrip(canvas, width, { lanes: row.cells, binary, range }, mark),
      say: (s) => {
        const cell = row.cells[s.lane] as BenchPageCell;
        const column = t.columns[cell.column] ?? "";
        if (s.index < 0) {
          const spread = cell.bounded ? `, ${t.spread} ${value(cell.low)} to ${value(cell.high)}` : "";
          return `${column}: ${t.center} ${value(cell.center)}${spread}`;
        }
        return `${column}: ${value(cell.values[s.index] as number)}, ${s.index + 1} of ${cell.values.length}`;
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
          ? h("span", { class: `verdict-word ${main.verdict}` }, `${main.text} ${main.words}`)
          : null,
      ),
      h("div", { class: "lanes" }, lanes(t, row), row.cells.length > 0 && picture(strip)),
      ...row.pairs.map((p) =>
        h(
          "figure",
          {},
          h(
            "figcaption",
            { class: "about" },
            `Ratio of each pair of rounds, in order of time: ${percentChange(p.ratio - 1)}`,
            p.bounded ? `, between ${percentChange(p.low - 1)} and ${percentChange(p.high - 1)}` : "",
            ".",
          ),
          picture({
            name:
              `${row.name}, ratios of ${p.ratios.length} pairs of rounds in order of time. ` +
              "Arrow keys right and left read them out.",
            height: pairsHeight,
            draw: (canvas, width, mark) => drawPairs(canvas, width, p, mark),
            say: (s) =>
              `pair ${s.index + 1} of ${p.ratios.length}: ${percentChange((p.ratios[s.index] as number) - 1)}`,
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
        { class: "headline", "aria-label": "Verdict" },
        ...doc.verdict.map((v) => h("p", { class: v.tone }, v.text)),
      ),
    ...doc.notes.map((n) => h("p", { class: "about" }, `note: ${n}`)),
    summary(doc, (t) => set({ unit: t.unit, query: "", show: "all" })),
    h(
      "details",
      { class: "about" },
      h("summary", {}, "How to read this page"),
      "Points are measurements, from the top of a strip to its bottom in order of time; the line is the " +
        `${doc.tables[0]?.center ?? "center"}, the bar its ${doc.tables[0]?.spread ?? "interval"}. ` +
        `Arrowheads are beyond the axis. ${doc.legend}`,
    ),
    h(
      "div",
      { class: "toolbar", role: "search" },
      h("div", { class: "search" }, input),
      show.el,
      h("label", {}, h("span", {}, "unit"), unit),
      h("label", {}, h("span", {}, "order"), order),
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

function describe(t: BenchPageTable, c: BenchPageCell): string {
  const change = c.changes[0];
  const n = `${c.n} measurement${c.n === 1 ? "" : "s"}`;
  const verdict = change ? `, ${change.text}, ${change.words}` : "";
  return `${t.columns[c.column]} ${t.center} ${c.text} ${c.range}, ${n}${verdict}`;
}

/** The columns of a benchmark, a line for each lane of the drawing next to it. */
function lanes(t: BenchPageTable, row: BenchPageRow): HTMLElement {
  const changes = row.cells.some((c) => c.changes.length > 0);
  const heads = ["side", t.center, "±", ...(changes ? ["change", "p", "q"] : []), "n"];
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
            { scope: "row", title: t.columns[c.column] },
            swatch(c.column),
            h("span", {}, t.columns[c.column] ?? ""),
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
    h("td", { class: `delta ${d.verdict}`, title: d.words }, d.text),
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
function dataTable(t: BenchPageTable, rows: BenchPageRow[]): HTMLElement {
  const changes = rows.some((r) => r.cells.some((c) => c.changes.length > 0));
  const heads = t.columns.flatMap((name, k) => [
    `${name} ${t.unit}`,
    "±",
    "n",
    ...(changes && k > 0 ? ["change", "p", "q", "verdict"] : []),
  ]);
  return h(
    "table",
    { class: "table" },
    h("caption", {}, `${rows.length} of ${t.rows.length} benchmarks, ${t.unit}`),
    h(
      "thead",
      {},
      h("tr", {}, h("th", { scope: "col" }, "benchmark"), ...heads.map((text) => h("th", { scope: "col" }, text))),
    ),
    h(
      "tbody",
      {},
      ...rows.map((r) =>
        h(
          "tr",
          {},
          h("th", { scope: "row" }, r.name),
          ...t.columns.flatMap((_, k) => {
            const c = r.cells.find((cell) => cell.column === k);
            const d = c?.changes[0];
            const texts = [c?.text ?? "", c?.range ?? "", c ? String(c.n) : ""];
            if (changes && k > 0)
              texts.push(d?.text ?? "", d ? probability(d.p) : "", d ? probability(d.q) : "", d?.words ?? "");
            return texts.map((text) => h("td", {}, text));
          }),
        ),
      ),
    ),
  );
}

/** The verdicts of each table, with the geometric means. */
function summary(doc: BenchDoc, go: (t: BenchPageTable) => void): HTMLElement | false {
  const most = Math.max(0, ...doc.tables.map((t) => t.columns.length));
  if (most === 0) return false;
  const verdicts: [string, string][] = [
    ["worse", "worse"],
    ["better", "better"],
    ["changed", "changed"],
    ["undecided", "undecided"],
    ["same", "no change shown"],
  ];
  const count = (t: BenchPageTable, verdict: string) =>
    t.rows.filter((r) => {
      const v = mainChange(r)?.verdict;
      return verdict === "same" ? v === "same" || v === "chance" : v === verdict;
    }).length;
  const used = verdicts.filter(([v]) => doc.tables.some((t) => count(t, v) > 0));
  const configs = doc.tables.some((t) => JSON.stringify(t.config) !== JSON.stringify(doc.tables[0]?.config));
  return h(
    "section",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": "Summary" },
    h(
      "table",
      { class: "table" },
      h("caption", {}, "Summary"),
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          ...["unit", "benchmarks", ...used.map(([, text]) => text), "geometric means"].map((text) =>
            h("th", { scope: "col" }, text),
          ),
        ),
      ),
      h(
        "tbody",
        {},
        ...doc.tables.map((t) =>
          h(
            "tr",
            {},
            h(
              "th",
              { scope: "row" },
              h("button", { type: "button", class: "plain", title: "Show these alone", onclick: () => go(t) }, t.unit),
              configs ? h("span", { class: "place" }, ` ${t.config.map((f) => f.value).join(" · ")}`) : null,
            ),
            h("td", {}, String(t.rows.length)),
            ...used.map(([v]) => h("td", { class: `delta ${count(t, v) > 0 ? v : ""}` }, String(count(t, v)))),
            h(
              "td",
              { class: "means" },
              t.means.length === 0
                ? ""
                : h(
                    "span",
                    {},
                    ...t.means.map((m, k) =>
                      h(
                        "span",
                        { class: "mean" },
                        swatch(k),
                        `${t.columns[k] ?? ""} ${m.center}${m.change ? ` (${m.change})` : ""}`,
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
