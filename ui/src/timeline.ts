import type { TimelineDoc } from "./api/timeline.ts";
import { inflate } from "./lib/decode.ts";
import { PageSource, ServerSource, type TimelineSource } from "./state/timelinesource.ts";
import { startTimeline } from "./views/timeline.ts";
import css from "./style.css?inline";
import timelineCSS from "./style-timeline.css?inline";

const sheet = new CSSStyleSheet();
sheet.replaceSync(css + timelineCSS);
document.adoptedStyleSheets = [sheet];

const root = document.createElement("div");
root.id = "app";
document.body.append(root);

/** The data of the page or, without data, the server that it came from. */
async function source(): Promise<TimelineSource> {
  const data = document.getElementById("whet-timeline");
  const text = (JSON.parse(data?.textContent || '""') as string) || "";
  data?.remove();
  if (text === "") return ServerSource.open();
  return new PageSource(JSON.parse(new TextDecoder().decode(await inflate(text))) as TimelineDoc);
}

source()
  .then((s) => startTimeline(s, root))
  .catch((err: unknown) => {
    const p = document.createElement("p");
    p.className = "failure";
    p.textContent = `The timeline cannot be shown: ${err instanceof Error ? err.message : String(err)}`;
    root.replaceChildren(p);
  });
