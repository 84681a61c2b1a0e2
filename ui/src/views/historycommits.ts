import type { HistoryDoc, HistoryListed, HistoryPoint } from "../api/benchhistory.ts";
import { compareCommits, findCommit, historyHash, historyStart, type HistoryState } from "../lib/benchhistory.ts";
import { scaled } from "../lib/benchunit.ts";
import { benchTexts } from "../texts/bench.ts";
import { word } from "./benchwords.ts";
import { h } from "./dom.ts";

const { t } = benchTexts;

/** The number of rows of a table that are shown at first. */
const most = 100;

const classes: Record<string, string> = { better: "good", worse: "bad", fails: "bad" };

/** A verdict in its color. */
export function verdictText(verdict: string): HTMLElement {
  return h("span", { class: classes[verdict] ?? "" }, word(verdict));
}

/** The hash that names a commit in links. */
function nameOf(doc: HistoryDoc, i: number): string {
  const c = doc.commits[i];
  if (!c) return "";
  return doc.commits.filter((o) => o.short === c.short).length > 1 ? c.hash : c.short;
}

/** A link to the results of a commit, or with a base to both. */
export function commitLink(doc: HistoryDoc, at: number, base: number | null, text: string): HTMLElement {
  const state = { ...historyStart, commit: nameOf(doc, at), base: base === null ? "" : nameOf(doc, base) };
  return h("a", { href: `#${historyHash(state)}` }, text);
}

/** The changes of all series, by the commits that made them, newest first. */
export function changesTable(doc: HistoryDoc): HTMLElement {
  const groups: HistoryListed[][] = [];
  for (const c of doc.changes) {
    const last = groups.at(-1)?.[0];
    if (last && last.at === c.at && last.after === c.after) groups.at(-1)!.push(c);
    else groups.push([c]);
  }
  const columns = [
    t("head.benchmark"),
    t("head.unit"),
    t("head.before"),
    t("head.after"),
    t("head.change"),
    t("head.interval"),
    "q",
    t("head.verdict"),
  ];
  const group = (list: readonly HistoryListed[]) => {
    const { after, at } = list[0]!;
    const [a, b] = [doc.commits[after], doc.commits[at]];
    return h(
      "tbody",
      {},
      h(
        "tr",
        { class: "commit" },
        h(
          "th",
          { scope: "rowgroup", colspan: columns.length },
          commitLink(doc, at, after, `${a?.short}..${b?.short}`),
          ` ${b?.time.slice(0, 10)} `,
          h("span", { class: "subject" }, b?.subject ?? ""),
        ),
      ),
      ...list.map((c) =>
        h(
          "tr",
          {},
          ...c.cells.map((cell, i) => (i === 0 ? h("th", { scope: "row" }, cell) : h("td", {}, cell))),
          h("td", {}, verdictText(c.verdict)),
        ),
      ),
    );
  };
  return h(
    "table",
    { class: "table changes" },
    h("caption", {}, t("changes")),
    h("thead", {}, h("tr", {}, ...columns.map((c) => h("th", { scope: "col" }, c)))),
    ...groups.map(group),
  );
}

/** The panel with the results of a commit next to those of another one. */
export class Commits {
  readonly el = h("section", { class: "commits", hidden: true, "aria-label": t("commits.label") });
  private rows = most;
  private shown = "";

  constructor(
    private readonly doc: HistoryDoc,
    private readonly set: (part: Partial<HistoryState>) => void,
  ) {}

  /** Shows what the state names; nothing without a commit. */
  show(state: HistoryState): void {
    this.el.hidden = state.commit === "";
    const key = `${state.commit} ${state.base} ${this.rows}`;
    if (this.el.hidden || key === this.shown) return;
    if (!key.startsWith(`${state.commit} ${state.base} `)) this.rows = most;
    this.shown = key;
    const { doc } = this;
    const at = findCommit(doc.commits, state.commit);
    const close = h("button", { type: "button", onclick: () => this.set({ commit: "", base: "" }) }, t("close"));
    if (at < 0) {
      this.el.replaceChildren(
        h("p", { class: "about" }, `${t("commit.none", { commit: state.commit })} `, close),
      );
      return;
    }
    const found = state.base ? findCommit(doc.commits, state.base) : -1;
    const base = found >= 0 ? found : at - 1;
    const c = doc.commits[at]!;
    const pick = (label: string, value: number, changed: (name: string) => void) => {
      const select = h(
        "select",
        { "aria-label": label, onchange: () => changed(nameOf(doc, Number(select.value))) },
        ...doc.commits
          .map((o, i) => h("option", { value: i }, `${o.short} ${o.subject}`.trim().slice(0, 80)))
          .reverse(),
      );
      select.value = String(value);
      return select;
    };
    const bar = h(
      "div",
      { class: "toolbar" },
      h("label", {}, h("span", {}, t("head.commit")), pick(t("commit.label"), at, (commit) => this.set({ commit }))),
      base >= 0
        ? h(
            "label",
            {},
            h("span", {}, t("commit.base")),
            pick(t("commit.base.label"), base, (b) => this.set({ base: b })),
          )
        : null,
      close,
    );
    const rows = compareCommits(doc, at, base);
    const value = (p: HistoryPoint | null, binary: boolean) => {
      if (!p) return "–";
      const center = scaled(p.center, binary);
      if (!p.bounded || p.low === p.high) return center;
      return t("range", { center, low: scaled(p.low, binary), high: scaled(p.high, binary) });
    };
    const heads = [
      t("head.benchmark"),
      t("head.unit"),
      t("head.before"),
      t("head.after"),
      "n",
      t("head.change"),
      t("head.verdict"),
    ];
    const table = h(
      "table",
      { class: "table" },
      h("caption", {}, base >= 0 ? t("commit.both", { a: doc.commits[base]!.short, b: c.short }) : c.short),
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          ...heads.map((text) => h("th", { scope: "col" }, text)),
        ),
      ),
      h(
        "tbody",
        {},
        ...rows.slice(0, this.rows).map((r) =>
          h(
            "tr",
            {},
            h("th", { scope: "row" }, r.series.name),
            h("td", {}, r.series.unit),
            h("td", {}, value(r.before, r.series.binary)),
            h("td", {}, value(r.after, r.series.binary)),
            h("td", {}, r.after ? String(r.after.n) : ""),
            h("td", {}, r.change === null ? "" : percent(r.change)),
            h("td", {}, verdictText(r.verdict === "same" ? "~" : r.verdict)),
          ),
        ),
      ),
    );
    const more = rows.length - this.rows;
    this.el.replaceChildren(
      h("h2", {}, `${c.short} `, h("span", { class: "subject" }, c.subject)),
      h("p", { class: "about" }, c.time),
      bar,
      h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": t("commit.results") }, table),
      more > 0
        ? h(
            "button",
            {
              type: "button",
              onclick: () => {
                this.rows += 1000;
                this.show(state);
              },
            },
            t("more", { n: Math.min(1000, more), all: rows.length }),
          )
        : "",
      h("p", { class: "about" }, t("commit.note")),
    );
  }
}

function percent(change: number): string {
  const p = Math.abs(change) < 0.0005 ? 0 : 100 * change;
  return `${p > 0 ? "+" : p < 0 ? "−" : "±"}${Math.abs(p).toFixed(Math.abs(p) < 10 ? 1 : 0)}%`;
}
