import type { HistoryDoc } from "./api/benchhistory.ts";
import { startHistory } from "./views/benchhistory.ts";
import { startPage } from "./views/page.ts";
import plotCSS from "uplot/dist/uPlot.min.css?inline";
import historyCSS from "./style-benchhistory.css?inline";

startPage<HistoryDoc>("whet-bench-history", plotCSS + historyCSS, startHistory);
