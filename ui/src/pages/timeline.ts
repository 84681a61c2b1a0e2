import { ServerSource } from "../state/timelinesource.ts";
import { address } from "../api/client.ts";
import { file } from "../state/route.ts";
import { sharing } from "../state/shell.ts";
import { startTimeline } from "../views/timeline.ts";
import "../style-timeline.css";
import "../style-document.css";

/** The timeline of a file's execution trace. */
export async function showTimeline(root: HTMLElement): Promise<() => void> {
  const source = await ServerSource.open(`/trace/${encodeURIComponent(file.value)}/`);
  sharing.value = {
    command: ["whet", "trace", "timeline", file.value],
    files: [{ key: "share.whet", href: address("/download", { file: file.value }) }],
  };
  return startTimeline(source, root, true);
}
