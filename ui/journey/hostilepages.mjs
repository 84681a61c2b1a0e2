// Opens every view of whet ui with names that were chosen to do harm: nothing of them runs, and nothing leaves its place.
//
//   node journey/hostilepages.mjs DIR [SHOTS]
//
// DIR holds the address of a server of such files and the name of a recording, from the Go test TestJourneyHostile of
// internal/server/workbench. SHOTS, if given, is a folder for screenshots. Exit code 77 means: no browser here.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import assert from "node:assert/strict";
import { harmless, start } from "./browser.mjs";

const journey = await start({ height: 800, pause: 150 });
const { step } = journey;
const address = readFileSync(join(journey.dir, "address.html"), "utf8").trim();
const name = readFileSync(join(journey.dir, "name.html"), "utf8");
const file = encodeURIComponent(name);

const picture = ".flame-host .graph canvas";
const views = {
  hub: ["/", ".hub-row .hot-line"],
  overview: [`/overview?file=${file}`, ".line-row"],
  flame: [`/flame?file=${file}`, picture],
  "flame-up": [`/flame?file=${file}&view=up&q=.`, picture],
  "flame-alloc": [`/flame?file=${file}&type=allocs:alloc_space`, picture],
  graph: [`/graph?file=${file}`, ".callgraph .node"],
  compare: [`/compare?file=${file}&base=other.whet&noise=show&all=true`, ".diff-table"],
  timeline: [`/timeline?file=${file}`, "main[data-ready]"],
  load: [`/load?file=${file}`, "main[data-ready]"],
  loads: [`/load?file=${file}&base=load.json`, "main[data-ready]"],
  goroutines: [`/goroutines?file=${file}`, ".group"],
  memory: [`/memory?file=${file}`, ".memory-bar"],
  series: [`/over-time?file=${file}`, ".over-time tbody tr"],
  findings: ["/findings?file=found.json", ".finding-row"],
  fixes: ["/fixes?file=fixes.json", ".attempt"],
  proof: ["/proof?file=faster.json", ".figures"],
  different: ["/proof?file=different.json", ".differs"],
  bench: ["/bench?file=compared.json", "main[data-ready]"],
  run: ["/bench?file=run.json", "main[data-ready]"],
  history: ["/bench?file=along.json", "main[data-ready]"],
};

/** Fails if a name has done something, or if the page is wider than the window, or has its names over others. */
async function tame(p, what) {
  await harmless(p, what);
  const wide = await p.page.evaluate(() => {
    const main = document.getElementById("content");
    return main.scrollWidth - main.clientWidth;
  });
  assert.ok(wide <= 0, `${what}: what scrolls is ${wide} px too wide`);
  // Texts of the header, the heads of sections and rows of lists do not lie on one another.
  const over = await p.page.evaluate(() => {
    const found = [];
    const parts = "header.top > *, .block-head > *, .hub-row > *, .line-row > *, .contents > *, .compare-bar > *, .title > *, tr > *";
    for (const parent of new Set([...document.querySelectorAll(parts)].map((e) => e.parentElement))) {
      const boxes = [...parent.children]
        .filter((e) => e.checkVisibility() && !["absolute", "fixed"].includes(getComputedStyle(e).position))
        .map((e) => [e, e.getBoundingClientRect()])
        .filter(([, r]) => r.width > 0 && r.height > 0);
      boxes.forEach(([a, r], i) =>
        boxes.slice(i + 1).forEach(([b, q]) => {
          const w = Math.min(r.right, q.right) - Math.max(r.left, q.left);
          const h = Math.min(r.bottom, q.bottom) - Math.max(r.top, q.top);
          if (w > 2 && h > 2) found.push(`${a.tagName}.${a.className} and ${b.tagName}.${b.className}`);
        }),
      );
    }
    return found.slice(0, 5);
  });
  assert.deepEqual(over, [], what);
}

for (const [view, [path, ready]] of Object.entries(views)) {
  step(`${view}: names do nothing`, async () => {
    for (const width of [1280, 390]) {
      const p = await journey.open(address + path, { ready, viewport: { width, height: 800 } });
      await p.page.waitForLoadState("networkidle");
      await p.settle(`hostile-${view}-${width}`);
      await tame(p, `${view}, ${width} px`);
      const text = await p.page.locator("body").innerText();
      if (!/^flame|graph|^bench$|^run$/.test(view)) assert.ok(text.includes("<img src=x onerror="), `${view}: no name is shown as it is`);
      // What opens and what can be selected.
      for (const s of (await p.page.locator("main summary:visible, #content summary:visible").all()).slice(0, 6)) await s.click();
      await p.settle();
      if (await p.page.locator(picture).count()) {
        const row = p.page.locator(".virtual-row:visible").first();
        if (await row.count()) {
          await row.click();
          await p.page.locator(".flame-source h2, .trouble").first().waitFor({ state: "attached" });
        }
        const box = await p.page.locator(picture).boundingBox();
        if (box) for (const y of [10, 30, 50, 90]) await p.page.mouse.move(box.x + box.width * 0.3, box.y + y);
      }
      if (view === "graph") await p.page.locator(".callgraph .node").first().dispatchEvent("click");
      if (view === "timeline") {
        const lanes = await p.page.locator(".lanes canvas").boundingBox();
        for (let y = 30; y < 300; y += 45) {
          await p.page.mouse.click(lanes.x + lanes.width * 0.6, lanes.y + y);
          await p.settle();
          await harmless(p, `a click in the timeline at ${y}`);
        }
      }
      await p.settle(`hostile-${view}-${width}-open`);
      await tame(p, `${view}, ${width} px, opened`);
      await p.page.keyboard.press("Escape");
      // The dialogs, which list names.
      await p.page.getByRole("button", { name: "Share" }).click();
      await p.page.getByRole("dialog").waitFor();
      await harmless(p, `${view}, shared`);
      await p.page.keyboard.press("Escape");
      await p.page.keyboard.press("Control+k");
      await p.page.getByRole("combobox", { name: /View, file/ }).fill("x");
      await harmless(p, `${view}, palette`);
      await p.page.keyboard.press("Escape");
      // A function with such a name is not in the profile's source, which the page explains.
      await p.close(/the server responded with a status of 4\d\d/);
    }
  });
}

await journey.walk();
