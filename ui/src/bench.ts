import type { BenchDoc } from "./api/bench.ts";
import { startBench } from "./views/bench.ts";
import { startPage } from "./views/page.ts";
import benchCSS from "./style-bench.css?inline";

startPage<BenchDoc>("whet-bench", benchCSS, startBench);
