import type { LoadDoc } from "./api/load.ts";
import { startLoad } from "./views/load.ts";
import { startPage } from "./views/page.ts";
import plotCSS from "uplot/dist/uPlot.min.css?inline";

startPage<LoadDoc>("whet-load", plotCSS, startLoad);
