import { start, type Views } from "./parts/app.tsx";
import "./style.css";
import "./style-shell.css";
import "./style-workbench.css";

/** The views that load when they are needed. */
const later: Views = {
  flame: () => import("./pages/flame.tsx").then((m) => m.FlameView),
  graph: () => import("./pages/graph.tsx").then((m) => m.GraphView),
  goroutines: () => import("./pages/goroutines.tsx").then((m) => m.Goroutines),
  findings: () => import("./pages/findings.tsx").then((m) => m.Findings),
  proof: () => import("./pages/proof.tsx").then((m) => m.Proof),
  fixes: () => import("./pages/fixes.tsx").then((m) => m.Fixes),
  "over-time": () => import("./pages/overtime.tsx").then((m) => m.Series),
  live: () => import("./pages/live.tsx").then((m) => m.Live),
  memory: () => import("./pages/memory.tsx").then((m) => m.Memory),
  store: () => import("./pages/store.tsx").then((m) => m.StoreView),
  "store/profiles": () => import("./pages/storeprofiles.tsx").then((m) => m.StoreProfiles),
  "store/regressions": () => import("./pages/storeregressions.tsx").then((m) => m.StoreRegressions),
  "store/targets": () => import("./pages/storetargets.tsx").then((m) => m.StoreTargets),
  compare: () => import("./pages/compare.tsx").then((m) => m.Compare),
};

void start(later);
