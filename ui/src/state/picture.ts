import { hexColors, png } from "../draw/raster.ts";
import { barsSvg, type BarRow } from "../lib/bars.ts";
import { SvgPen } from "../lib/svg.ts";
import { t, type Key } from "../texts/index.ts";
import { save } from "./shell.ts";

/** How many rows a picture has at most. */
const most = 60;

/** A value of a custom property of the page. */
export function property(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** The files of a view whose picture is rows with bars, the first of them: SVG and PNG. */
export function barFiles(
  stem: string,
  title: string,
  rows: () => readonly BarRow[],
): readonly { key: Key; make: () => Promise<void> | void }[] {
  const svg = () => {
    const all = rows();
    const head = all.length > most ? `${title} · ${t("list.first", { n: most, all: all.length })}` : title;
    return barsSvg(head, all.slice(0, most), new SvgPen(hexColors()), property("--text"), property("--quiet"));
  };
  return [
    { key: "share.svg", make: () => save(`${stem}.svg`, new Blob([svg()], { type: "image/svg+xml" })) },
    {
      key: "share.png",
      make: async () => {
        const made = await png(svg(), property("--panel"));
        if (made) save(`${stem}.png`, made);
      },
    },
  ];
}
