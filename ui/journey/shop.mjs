// Walks through parts of pages that other journeys leave out, in a real browser.
//
//   node journey/shop.mjs DIR [SHOTS]
//
// DIR holds the address of a server that has three recordings, under other loads, of a service with tasks, regions and messages in its
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
  const row = p.page.locator(".hub-row").first();
  const line = row.locator(".hot-line", { has: p.page.locator(".spark") }).first();
  const spark = line.locator(".spark");
  await spark.waitFor();
  // Three recordings under other loads.
  const label = await spark.getAttribute("aria-label");
  const shares = label.match(/[\d.]+%/g);
  assert.equal(shares.length, 3, label);
  assert.equal(new Set(shares).size, 3, label);
  // It is the line's, not that of its function.
  assert.equal(shares.at(-1), await line.locator(".hot-share").innerText());
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
  assert.match(await finding.locator(".diff").textContent(), /^--- a\/main\.go$[\s\S]*\n-\t+text \+= strconv\.Itoa\(i\)/m);
  // Places are in the module, and open in the editor.
  const place = p.page.locator(hot).first().locator(".place a");
  assert.match(await place.getAttribute("href"), /^vscode:\/\/file\/.+\/main\.go:\d+$/);
  await p.accessible();
  // The source has the remark, and the same link.
  await p.page.locator(hot, { hasText: "text +=" }).locator(".line-head > a").click();
  await p.page.locator(".src-line.here").waitFor();
  assert.match(await p.page.locator(".src-file a").getAttribute("href"), /\/main\.go:18$/);
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
  const middle = ([x, y, w, h]) => [x + w / 2, y + h / 2, w]; // the window's height may differ
  middle(again).forEach((v, i) => assert.ok(Math.abs(v - middle(moved)[i]) < 2, `${moved} again: ${again}`));
  // The keyboard does the same.
  await graph.focus();
  await p.page.keyboard.press("ArrowRight");
  assert.ok((await numbers())[0] > again[0]);
  await p.page.keyboard.press("0");
  await linked(false);
  assert.equal((await numbers())[2], whole[2]);
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
  await p.page.getByRole("button", { name: "Show in the flame graph" }).waitFor();
  await graph.focus();
  await p.page.keyboard.press("Escape");
  await p.page.waitForFunction(() => !location.search.includes("box="));
  assert.equal(await p.page.locator(".callgraph .node.faint").count(), 0);
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

await journey.walk();
