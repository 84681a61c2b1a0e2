import { address, get } from "../api/client.ts";
import type { BenchDoc } from "../api/bench.ts";
import type { HistoryDoc } from "../api/benchhistory.ts";
import { file } from "../state/route.ts";
import { sharing, viewKeys } from "../state/shell.ts";
import { startBench } from "../views/bench.ts";
import { startHistory } from "../views/benchhistory.ts";
import "uplot/dist/uPlot.min.css";
import "../style-load.css";
import "../style-bench.css";
import "../style-benchhistory.css";
import "../style-document.css";

/** Benchmarks: a run, two builds compared, or a history along commits. */
export async function showBench(root: HTMLElement): Promise<(() => void) | void> {
  const query = { file: file.value };
  const doc = await get<{ measured?: BenchDoc; history?: HistoryDoc }>("/bench", query);
  sharing.value = {
    command: ["whet", "ui", file.value],
    files: [{ key: "share.json", href: address("/download", query) }],
  };
  viewKeys.value = [["/", "help.filter"]];
  root.classList.add("document-scrolls");
  if (doc.history) return startHistory(doc.history, root, true);
  if (doc.measured) startBench(doc.measured, root, true);
}
