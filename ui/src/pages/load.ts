import { address, get } from "../api/client.ts";
import type { LoadDoc } from "../api/load.ts";
import { chartsSvg } from "../draw/chart.ts";
import { chartsPng, hexColors } from "../draw/raster.ts";
import { SvgPen } from "../lib/svg.ts";
import { file, param } from "../state/route.ts";
import { csv, save, sharing, viewKeys } from "../state/shell.ts";
import { language } from "../texts/index.ts";
import { loadTexts } from "../texts/load.ts";
import { startLoad } from "../views/load.ts";
import "uplot/dist/uPlot.min.css";
import "../style-load.css";
import "../style-document.css";

/** The texts of the charts in other languages. */
const others = { ru: () => import("../texts/load.ru.ts"), zh: () => import("../texts/load.zh.ts") };

/** What happened in each second of the runs. */
function seconds(doc: LoadDoc): (string | number)[][] {
  return [
    ["run", "second", "rate", "failed", "p50_ms", "p99_ms", "max_ms"],
    ...doc.runs.flatMap((r) =>
      r.seconds.map((s) => [r.name || doc.title, s.at, s.rate, s.failed, s.p50, s.p99, s.max]),
    ),
  ];
}

/** The charts of a load, or of two. */
export async function showLoad(root: HTMLElement, ready: Promise<void>): Promise<void> {
  const base = param("base");
  const query = { file: file.value, base };
  const [doc] = await Promise.all([get<LoadDoc>("/load", query), loadTexts.speak(language.value, others), ready]);
  const stem = file.value.split("/").at(-1);
  root.classList.add("document-scrolls");
  const plots = startLoad(doc, root, true);
  sharing.value = {
    command: base ? ["whet", "load", "compare", base, file.value] : ["whet", "ui", "--view", "load", file.value],
    files: [
      { key: "share.page", href: address("/load", { ...query, format: "html" }) },
      { key: "share.json", href: address("/load", query) },
      { key: "share.csv", make: () => save(`${stem}.csv`, csv(seconds(doc))) },
      {
        key: "share.svg",
        make: () => {
          const svg = chartsSvg(plots, new SvgPen(hexColors()), file.value);
          save(`${stem}.svg`, new Blob([svg], { type: "image/svg+xml" }));
        },
      },
      {
        key: "share.png",
        make: async () => {
          const style = getComputedStyle(document.body);
          const picture = await chartsPng(root, style.getPropertyValue("--panel"), style.color);
          if (picture) save(`${stem}.png`, picture);
        },
      },
    ],
  };
  viewKeys.value = [["← → Home End", "help.points"]];
}
