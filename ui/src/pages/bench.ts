import { address, get } from "../api/client.ts";
import type { BenchDoc } from "../api/bench.ts";
import type { HistoryDoc } from "../api/benchhistory.ts";
import type { BarRow } from "../lib/bars.ts";
import { barFiles, property } from "../state/picture.ts";
import { file, param } from "../state/route.ts";
import { csv, save, sharing, viewKeys } from "../state/shell.ts";
import { benchTexts } from "../texts/bench.ts";
import { language } from "../texts/index.ts";
import { startBench } from "../views/bench.ts";
import { startHistory } from "../views/benchhistory.ts";
import type { Help } from "../views/pagehelp.ts";
import "uplot/dist/uPlot.min.css";
import "../style-load.css";
import "../style-bench.css";
import "../style-benchhistory.css";
import "../style-document.css";

/** The texts of benchmarks in other languages. */
const others = { ru: () => import("../texts/bench.ru.ts"), zh: () => import("../texts/bench.zh.ts") };

/** The measurements: of each benchmark in each column, or at each commit. */
function rows(doc: { measured?: BenchDoc; history?: HistoryDoc }): (string | number)[][] {
  if (doc.history) {
    const { commits, series } = doc.history;
    return [
      ["commit", "time", "subject", "benchmark", "unit", "center", "low", "high", "n"],
      ...series.flatMap((s) =>
        s.points.map((p) => {
          const c = commits[p.commit];
          const bounds = p.bounded ? [p.low, p.high] : ["", ""];
          return [c?.hash ?? "", c?.time ?? "", c?.subject ?? "", s.name, s.unit, p.center, ...bounds, p.n];
        }),
      ),
    ];
  }
  return [
    ["benchmark", "unit", "column", "center", "low", "high", "n"],
    ...(doc.measured?.tables ?? []).flatMap((t) =>
      t.rows.flatMap((r) =>
        r.cells.map((c) => [
          r.name,
          t.unit,
          t.columns[c.column] ?? "",
          c.center,
          ...(c.bounded ? [c.low, c.high] : ["", ""]),
          c.n,
        ]),
      ),
    ),
  ];
}

/** The color of a verdict. */
const inks: Readonly<Record<string, string>> = { better: "--good", worse: "--bad" };

/** The changes of benchmarks; of a single run the values, as parts of the largest of their unit; or courses. */
function bars(doc: { measured?: BenchDoc; history?: HistoryDoc }): BarRow[] {
  if (doc.history)
    return doc.history.series.map((s) => ({
      name: s.name,
      note: s.unit,
      value: 0,
      text: String(Number((s.points.at(-1)?.center ?? 0).toPrecision(4))),
      color: property("--series-1"),
      course: s.points.map((p) => p.center),
    }));
  return (doc.measured?.tables ?? []).flatMap((table) => {
    const most = Math.max(...table.rows.flatMap((r) => r.cells.map((c) => Math.abs(c.center))), Number.MIN_VALUE);
    const compared = table.rows.some((r) => r.cells.some((c) => c.changes.length > 0));
    return table.rows.flatMap((r) =>
      r.cells.flatMap((c): BarRow[] => {
        const note = [table.unit, table.columns[c.column] ?? "", compared ? c.text : ""].filter(Boolean).join(" · ");
        if (!compared)
          return [{ name: r.name, note, value: c.center / most, text: c.text, color: property("--series-1") }];
        const change = c.changes[0];
        if (!change?.finite) return [];
        const color = property(inks[change.verdict] ?? "--k-other");
        return [{ name: r.name, note, value: change.delta, text: change.text, color }];
      }),
    );
  });
}

/** The command that shows the same: whet bench compare reads the output of go test. */
function command(name: string, base: string): string[] {
  if (base && ![name, base].some((n) => /\.json$/i.test(n))) return ["whet", "bench", "compare", base, name];
  return ["whet", "ui", "--view", "bench", name, ...(base ? [base] : [])];
}

/** Benchmarks: a run, two builds compared, or a history along commits. */
export async function showBench(root: HTMLElement, ready: Promise<void>): Promise<Help | void> {
  const query = { file: file.value, base: param("base") };
  const stem = `${file.value.split("/").at(-1)}`;
  const [doc] = await Promise.all([
    get<{ measured?: BenchDoc; history?: HistoryDoc }>("/bench", query),
    benchTexts.speak(language.value, others),
    ready,
  ]);
  const asIs = !query.base && /\.json$/i.test(file.value);
  sharing.value = {
    command: command(file.value, query.base),
    files: [
      { key: "share.page", href: address("/bench", { ...query, format: "html" }) },
      { key: "share.json", href: asIs ? address("/download", { file: file.value }) : address("/bench", query) },
      { key: "share.csv", make: () => save(`${stem}.csv`, csv(rows(doc))) },
      ...barFiles(`${stem}.bench`, [query.base, file.value].filter(Boolean).join(" → "), () => bars(doc)),
    ],
  };
  root.classList.add("document-scrolls");
  if (doc.history) return startHistory(doc.history, root, true);
  viewKeys.value = [["/", "help.filter"]];
  if (doc.measured) startBench(doc.measured, root, true);
}
