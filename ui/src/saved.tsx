import { answerFrom, type SavedAnswer } from "./api/client.ts";
import { inflate } from "./lib/decode.ts";
import { FlameView } from "./pages/flame.tsx";
import { Goroutines } from "./pages/goroutines.tsx";
import { GraphView } from "./pages/graph.tsx";
import { Memory } from "./pages/memory.tsx";
import { SavedPage } from "./pages/savedpage.tsx";
import { start } from "./parts/app.tsx";
import css from "./style.css?inline";
import shellCSS from "./style-shell.css?inline";
import workbenchCSS from "./style-workbench.css?inline";

document.adoptedStyleSheets = [css, shellCSS, workbenchCSS].map((text) => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(text);
  return sheet;
});

const root = document.createElement("div");
root.id = "app";
document.body.append(root);

async function main(): Promise<void> {
  if (typeof DecompressionStream === "undefined") {
    throw new Error("this browser is too old: it lacks DecompressionStream (Chrome 80, Firefox 113, Safari 16.4)");
  }
  const data = document.getElementById("whet-saved");
  if (!data) throw new Error("the page has no data");
  const text = new TextDecoder().decode(await inflate(data.textContent ?? ""));
  data.textContent = ""; // the element says that the page was saved
  answerFrom(new Map(Object.entries(JSON.parse(text) as Record<string, SavedAnswer>)));
  await start({
    flame: () => Promise.resolve(FlameView),
    graph: () => Promise.resolve(GraphView),
    goroutines: () => Promise.resolve(Goroutines),
    memory: () => Promise.resolve(Memory),
    load: () => Promise.resolve(() => <SavedPage path="/load" />),
    timeline: () => Promise.resolve(() => <SavedPage path="/timeline" />),
  });
}

main().catch((err: unknown) => {
  const p = document.createElement("p");
  p.className = "failure";
  p.textContent = `The recording cannot be shown: ${err instanceof Error ? err.message : String(err)}`;
  root.replaceChildren(p);
});
