// Walks through parts of pages that other journeys leave out, in a real browser.
//
//   node journey/shop.mjs DIR [SHOTS]
//
// DIR holds the address of a server that has three recordings of a service with tasks, regions and messages in its
// trace, and the service's module, from the Go test TestJourneyShop of internal/server/workbench.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import assert from "node:assert/strict";
import { start } from "./browser.mjs";

const journey = await start({ height: 800, pause: 250 });
const { step } = journey;
const address = readFileSync(join(journey.dir, "address.html"), "utf8").trim();
const open = (path, ready, options) => journey.open(address + path, { ready, ...options });
const hot = ".line-row";

step("the list shows how lines change", async () => {
  const p = await open("/", ".hub-row .hot-line");
  const spark = p.page.locator(".hub-row", { hasText: "shop.whet" }).locator(".spark").first();
  await spark.waitFor();
  // Three recordings, which are the same: the oldest first.
  const label = await spark.getAttribute("aria-label");
  const shares = label.match(/[\d.]+%/g);
  assert.equal(shares.length, 3, label);
  assert.ok(shares.every((s) => s === shares[0]), label);
  await p.settle("trend");
  await p.close();
});

step("what was not recorded, and what records it", async () => {
  const p = await open("/overview?file=shop.whet", hot);
  const missing = p.page.locator(".missing li");
  const texts = await missing.allInnerTexts();
  assert.ok(texts.some((x) => /^mutex[\s\S]*runtime\.SetMutexProfileFraction\(/.test(x)), texts.join("\n"));
  assert.ok(texts.some((x) => /^block[\s\S]*runtime\.SetBlockProfileRate\(/.test(x)), texts.join("\n"));
  await p.close();
});

step("causes and rewrites are found in the module", async () => {
  const p = await open("/overview?file=shop.whet", hot);
  await p.page.getByRole("button", { name: "Find causes and rewrites" }).click();
  await p.page.getByText(/Looking for causes: ./).waitFor();
  const finding = p.page.locator(hot, { hasText: "text += strconv.Itoa(i)" }).locator(".finding");
  await finding.getByText(/saves at most \d/).click();
  await p.settle("found");
  assert.match(await finding.locator(".diff").innerText(), /^--- a\/main\.go[\s\S]*\n-\t\ttext \+= strconv\.Itoa\(i\)/);
  // Places are in the module, and open in the editor.
  const place = p.page.locator(hot).first().locator(".place a");
  assert.match(await place.getAttribute("href"), /^vscode:\/\/file\/.+\/main\.go:\d+$/);
  await p.accessible();
  // The source has the remark, and the same link.
  await p.page.locator(hot, { hasText: "text +=" }).locator(".line-head > a").click();
  await p.page.locator(".src-line.here").waitFor();
  assert.match(await p.page.locator(".src-file a").getAttribute("href"), /\/main\.go:19$/);
  await p.settle("remark");
  await p.close();
});

step("a call graph is moved, zoomed and searched, and the link has that", async () => {
  const p = await open("/graph?file=shop.whet", ".callgraph .node");
  const graph = p.page.locator(".callgraph");
  const part = () => p.page.locator(".callgraph > svg").getAttribute("viewBox");
  const numbers = async () => (await part()).split(" ").map(Number);
  const linked = (want) => p.page.waitForFunction((w) => new URLSearchParams(location.search).has("part") === w, want);
  const box = await graph.boundingBox();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  const whole = await numbers();
  await p.page.mouse.move(x, y);
  await p.page.mouse.wheel(0, -200);
  await linked(true);
  const near = await numbers();
  assert.ok(near[2] < whole[2] && near[3] < whole[3], `${whole} to ${near}`);
  await p.page.mouse.down();
  await p.page.mouse.move(x + 80, y + 40, { steps: 4 });
  await p.page.mouse.up();
  await p.settle("graph-part");
  await p.settle();
  const moved = await numbers();
  assert.ok(moved[0] < near[0] && moved[1] < near[1] && Math.abs(moved[2] - near[2]) < 0.1, `${near} to ${moved}`);
  await p.page.reload();
  await p.page.locator(".callgraph .node").first().waitFor();
  await p.settle();
  const again = await numbers();
  for (let i = 0; i < 4; i++) assert.ok(Math.abs(again[i] - moved[i]) < 2, `${moved} again: ${again}`);
  // The keyboard does the same.
  await graph.focus();
  await p.page.keyboard.press("ArrowRight");
  assert.ok((await numbers())[0] > again[0]);
  await p.page.keyboard.press("0");
  await linked(false);
  assert.deepEqual(await numbers(), whole);
  await p.page.keyboard.press("+");
  await linked(true);
  await p.page.getByRole("button", { name: "Show everything" }).click();
  await linked(false);
  // A search marks boxes; a click leaves a box with its callers and callees, Escape shows all.
  await p.page.getByLabel("Find a box").fill("main.label");
  await p.page.locator(".callgraph .node.found").first().waitFor();
  const node = p.page.locator(".callgraph .node", { hasText: "label" }).first();
  await node.click();
  await p.page.locator(".callgraph .node.picked").waitFor();
  assert.ok((await p.page.locator(".callgraph .node.faint").count()) > 0);
  assert.match(p.page.url(), /box=main\.label/);
  await p.page.getByRole("button", { name: "Flame graph", exact: true }).waitFor();
  await graph.focus();
  await p.page.keyboard.press("Escape");
  await p.page.waitForFunction(() => !location.search.includes("box="));
  assert.equal(await p.page.locator(".callgraph .node.faint").count(), 0);
  await p.close();
});

step("the wheel and the strip above move through a flame graph", async () => {
  const p = await open("/flame?file=shop.whet", ".flame-host .graph canvas");
  const range = () => p.page.evaluate(() => new URLSearchParams(location.search).get("x"));
  const shown = p.page.locator(".minimap-window");
  assert.equal(await shown.isVisible(), false);
  const box = await p.page.locator(".flame-host .graph canvas").boundingBox();
  await p.page.mouse.move(box.x + box.width * 0.2, box.y + 40);
  await p.page.keyboard.down("Control");
  await p.page.mouse.wheel(0, -600);
  await p.page.keyboard.up("Control");
  await p.page.waitForFunction(() => location.search.includes("x="));
  await shown.waitFor();
  const left = await range();
  const map = await p.page.locator(".minimap").boundingBox();
  await p.page.mouse.move(map.x + map.width * 0.3, map.y + map.height / 2);
  await p.page.mouse.down();
  await p.page.mouse.move(map.x + map.width * 0.8, map.y + map.height / 2, { steps: 4 });
  await p.page.mouse.up();
  await p.page.waitForFunction((was) => new URLSearchParams(location.search).get("x") !== was, left);
  const middle = await shown.evaluate((w) => (parseFloat(w.style.left) + parseFloat(w.style.width) / 2) / 100);
  assert.ok(Math.abs(middle - 0.8) < 0.05 || middle > 0.75, `the middle is at ${middle}`);
  await p.settle("minimap");
  await p.page.keyboard.press("0");
  await p.page.waitForFunction(() => !location.search.includes("x="));
  assert.equal(await shown.isVisible(), false);
  // Hiding a function leaves what it calls; the filters are cleared with a click.
  await p.page.getByLabel("Hide matching frames").fill("^main\\.label$");
  await p.page.keyboard.press("Enter");
  await p.page.waitForFunction(() => location.search.includes("hide="));
  await p.page.locator(".row-name", { hasText: "main.order" }).first().waitFor();
  await p.page.getByRole("button", { name: "Clear the filters" }).click();
  await p.page.waitForFunction(() => !location.search.includes("hide="));
  await p.close();
});

step("a load lists its targets", async () => {
  const p = await open("/load?file=shop.whet", "main[data-ready]");
  const rows = p.page.locator("table", { hasText: "/health" }).first().locator("tbody tr");
  const texts = await rows.allInnerTexts();
  for (const path of ["/order", "/health"])
    assert.ok(texts.some((x) => x.includes(path) && /\d/.test(x.replace(/.*\/\w+/, ""))), texts.join("\n"));
  await p.settle("targets");
  await p.close();
});

step("regions, messages and CPU samples of a goroutine", async () => {
  const p = await open("/timeline?file=shop.whet", ".lanes .name");
  await p.page.waitForSelector("main[data-ready]");
  // A region leads to its goroutine, in the same time.
  const regions = p.page.locator('.section[data-type="region"]');
  await regions.getByRole("searchbox").fill("label");
  await p.page.locator(".lanes .name[data-id^=u]", { hasText: "label" }).first().click();
  const details = p.page.locator("aside.details");
  await details.getByRole("button", { name: "Zoom to it" }).click();
  await details.getByRole("button", { name: "Show its goroutine" }).click();
  await details.getByRole("button", { name: "Regions and calls" }).click();
  await details.getByRole("button", { name: "Close" }).click();
  await p.page.keyboard.press("s"); // the window around it has the message before it
  await p.settle("regions");
  // What the tooltips tell of the picture below the goroutine's name.
  const id = new URLSearchParams(new URL(p.page.url()).hash.slice(1)).get("more");
  const name = await p.page.locator(`.lanes .name[data-id="${id}"]`).first().boundingBox();
  const canvas = await p.page.locator(".lanes canvas").boundingBox();
  const [from, to] = [name.x + name.width + 4, canvas.x + canvas.width - 4];
  const told = new Set();
  for (let y = name.y + 2; y < name.y + 200; y += 5)
    for (let x = from; x < to; x += 6) {
      await p.page.mouse.move(x, y);
      const tip = p.page.locator(".tooltip");
      if (await tip.isVisible()) told.add((await tip.innerText()).replaceAll("\n", " "));
    }
  const all = [...told].join("\n");
  for (const want of [/^price .* region/m, /^label .* region/m, /step: before the label message at/m, /^main\.label .*main\.go:/m])
    assert.match(all, want);
  await p.close();
});

await journey.walk();
