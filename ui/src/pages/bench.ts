import { address, get } from "../api/client.ts";
import type { BenchDoc } from "../api/bench.ts";
import type { HistoryDoc } from "../api/benchhistory.ts";
import { file } from "../state/route.ts";
import { csv, save, sharing, viewKeys } from "../state/shell.ts";
import { benchTexts } from "../texts/bench.ts";
import { language } from "../texts/index.ts";
import { startBench } from "../views/bench.ts";
import { startHistory } from "../views/benchhistory.ts";
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

/** Benchmarks: a run, two builds compared, or a history along commits. */
export async function showBench(root: HTMLElement): Promise<(() => void) | void> {
  const query = { file: file.value };
  const [doc] = await Promise.all([
    get<{ measured?: BenchDoc; history?: HistoryDoc }>("/bench", query),
    benchTexts.speak(language.value, others),
  ]);
  sharing.value = {
    command: ["whet", "ui", file.value],
    files: [
      { key: "share.json", href: address("/download", query) },
      { key: "share.csv", make: () => save(`${file.value.split("/").at(-1)}.csv`, csv(rows(doc))) },
    ],
  };
  viewKeys.value = [["/", "help.filter"]];
  root.classList.add("document-scrolls");
  if (doc.history) return startHistory(doc.history, root, true);
  if (doc.measured) startBench(doc.measured, root, true);
}
