import { decode, inflate } from "./lib/decode.ts";
import { start } from "./views/app.ts";
import css from "./style.css?inline";

const sheet = new CSSStyleSheet();
sheet.replaceSync(css);
document.adoptedStyleSheets = [sheet];

const root = document.createElement("div");
root.id = "app";
document.body.append(root);

async function main(): Promise<void> {
  if (typeof DecompressionStream === "undefined") {
    throw new Error("this browser is too old: it lacks DecompressionStream (Chrome 80, Firefox 113, Safari 16.4)");
  }
  const data = document.getElementById("whet-flame");
  if (!data) throw new Error("the page has no data");
  const page = decode(await inflate(data.textContent ?? ""));
  data.remove();
  start(page, root);
}

main().catch((err: unknown) => {
  const p = document.createElement("p");
  p.className = "failure";
  p.textContent = `The flame graph cannot be shown: ${err instanceof Error ? err.message : String(err)}`;
  root.replaceChildren(p);
});
