import type { LoadDoc } from "./api/load.ts";
import { startLoad } from "./views/load.ts";
import plotCSS from "uplot/dist/uPlot.min.css?inline";
import css from "./style.css?inline";
import loadCSS from "./style-load.css?inline";

const sheet = new CSSStyleSheet();
sheet.replaceSync(css + plotCSS + loadCSS);
document.adoptedStyleSheets = [sheet];

const root = document.createElement("div");
root.id = "app";
document.body.append(root);

try {
  const data = document.getElementById("whet-load");
  if (!data) throw new Error("the page holds no data");
  const doc = JSON.parse(data.textContent ?? "") as LoadDoc;
  data.remove();
  startLoad(doc, root);
} catch (err) {
  const p = document.createElement("p");
  p.className = "failure";
  p.textContent = `The report cannot be shown: ${err instanceof Error ? err.message : String(err)}`;
  root.replaceChildren(p);
}
