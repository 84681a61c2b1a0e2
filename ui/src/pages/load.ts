import { address, get } from "../api/client.ts";
import type { LoadDoc } from "../api/load.ts";
import { file, param } from "../state/route.ts";
import { sharing, viewKeys } from "../state/shell.ts";
import { startLoad } from "../views/load.ts";
import "uplot/dist/uPlot.min.css";
import "../style-load.css";
import "../style-document.css";

/** The charts of a load, or of two. */
export async function showLoad(root: HTMLElement): Promise<void> {
  const base = param("base");
  const query = { file: file.value, base };
  const doc = await get<LoadDoc>("/load", query);
  sharing.value = {
    command: base ? ["whet", "load", "compare", base, file.value] : ["whet", "ui", file.value],
    files: [
      { key: "share.page", href: address("/load", { ...query, format: "html" }) },
      { key: "share.json", href: address("/load", query) },
    ],
  };
  viewKeys.value = [["← → Home End", "help.points"]];
  root.classList.add("document-scrolls");
  startLoad(doc, root, true);
}
