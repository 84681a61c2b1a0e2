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
  const facts = await p.page.locator(".facts").innerText();
  for (const fact of [/go1\.\d+/, /GOMAXPROCS\s+\d/, /Module\s+\S+/, /CPU (time )?per request\s+\d/i, /requests/])
    assert.match(facts, fact);
  assert.match(await p.page.locator(".cost").first().innerText(), /request/);
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
  await p.page.locator(".said-finding").first().waitFor();
  assert.match(await p.page.locator(".src-file a").getAttribute("href"), /\/main\.go:18$/);
  await p.settle("remark");
  await p.close();
});

/** The boxes of a call graph: how many there are and lie inside of it, and the heights of their letters in pixels. */
const boxesOf = (p) =>
  p.page.evaluate(() => {
    const own = document.querySelector(".callgraph").getBoundingClientRect();
    const inside = (r) =>
      r.left >= own.left && r.right <= own.right && r.top >= own.top && r.bottom <= Math.min(own.bottom, innerHeight);
    const boxes = [...document.querySelectorAll(".callgraph .node")];
    const svg = document.querySelector(".callgraph > svg");
    const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
    const letters = [...document.querySelectorAll(".callgraph .node text")].map(
      (text) => parseFloat(getComputedStyle(text).fontSize) * scale,
    );
    letters.sort((a, b) => a - b);
    return {
      all: boxes.length,
      inside: boxes.filter((b) => inside(b.getBoundingClientRect())).length,
      least: letters[0],
    };
  });

step("a call graph is readable on the first screen", async () => {
  const p = await open("/graph?file=shop.whet", ".callgraph .node", { viewport: { width: 1280, height: 800 } });
  await p.settle("graph-first");
  const seen = await boxesOf(p);
  assert.equal(seen.all, 40, JSON.stringify(seen));
  assert.ok(seen.inside >= 20, JSON.stringify(seen)); // a deep graph ends below the window
  assert.ok(seen.least >= 8.5, JSON.stringify(seen));
  assert.match(await p.page.locator(".callgraph .edge title").first().textContent(), /(calls|leads to) .*\d+m?s/);
  console.log(`  ${seen.inside} of ${seen.all} boxes are inside, letters of ${seen.least.toFixed(1)} px and more`);
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

/** How the address of a place in the shop's module begins and ends. */
const editor = (file) => new RegExp(`^vscode://file/.+/${file.replace(".", "\\.")}:\\d+$`);

step("places in comparisons, diffs and the timeline open in the editor", async () => {
  const p = await open("/compare?file=shop.whet&base=oldest.whet&noise=show&by=line", ".diff-table .place");
  const place = p.page.locator(".diff-table tr", { hasText: "main.label" }).first().locator(".place a");
  assert.match(await place.getAttribute("href"), editor("main.go"));
  assert.match(await place.innerText(), /main\.go:\d+$/);
  // The loads differ, so nothing is known about a request.
  const row = p.page.locator(".diff-table tr", { hasText: "main.label" }).first();
  assert.match(await row.innerText(), /no interval/);
  assert.doesNotMatch(await row.innerText(), /within the noise/);
  await p.accessible();
  // Only places in the module have an address there.
  await p.page.goto(`${address}/compare?file=shop.whet&base=oldest.whet&noise=show&by=line&all=true`);
  const other = p.page.locator(".diff-table tr", { hasText: "strconv." }).first().locator(".place");
  await other.waitFor();
  assert.equal(await other.locator("a").count(), 0);
  await p.page.goto(`${address}/proof?file=faster.json`);
  const diff = p.page.locator("#change .diff a");
  await diff.first().waitFor();
  const hrefs = await diff.evaluateAll((all) => all.map((a) => a.getAttribute("href")));
  assert.match(hrefs[0], editor("join.go"));
  assert.ok(hrefs[1].endsWith("/join.go:12"), String(hrefs));
  assert.match(await p.page.locator("#strength .frame-at a").getAttribute("href"), editor("join.go"));
  await p.close();
  // In a short window, spans are not added up: the rows of requests have stacks.
  const q = await open("/timeline?file=shop.whet#t=500000000-530000000", ".lanes .name");
  await q.page.waitForSelector("main[data-ready]");
  await q.page.locator(".lanes canvas").focus();
  const frame = q.page.locator(".details .stack a.editor-place").first();
  for (let i = 0; i < 80 && (await frame.count()) === 0; i++) {
    await q.page.keyboard.press(i % 4 === 3 ? "ArrowDown" : "ArrowRight");
    await q.settle();
  }
  assert.match(await frame.getAttribute("href"), editor("main.go"));
  await q.accessible();
  await q.close();
});

step("regions within one another, and messages, are on the rows of goroutines", async () => {
  const p = await open("/timeline?file=shop.whet", ".lanes .name");
  const canvas = p.page.locator(".lanes canvas");
  const search = p.page.locator('[data-type="goroutine"] input[type="search"]');
  const asking = p.page.waitForRequest(/\/marks\?/);
  await p.page.reload();
  await p.page.waitForSelector("main[data-ready]");
  await search.fill("conn\\).serve");
  await search.scrollIntoViewIfNeeded();
  await p.settle();
  await p.page.waitForSelector("main[data-ready]");
  // What the page asks for, of all goroutines that it lists: one with a region in another, and a message in that.
  const asked = new URL((await asking).url());
  const ids = await p.page.locator('.name[data-id^="g"]').evaluateAll((all) => all.map((n) => n.dataset.id));
  asked.searchParams.set("ids", ids.join(","));
  const { names, rows } = await p.page.evaluate((url) => fetch(url).then((r) => r.json()), asked.href);
  const [found] = rows.flatMap(({ id, regions, logs }) =>
    regions.flatMap((label) => {
      const [from, to, is, depth] = label;
      if (names[is] !== "label" || depth !== 1) return [];
      const price = regions.find((r) => names[r[2]] === "price" && r[3] === 0 && r[0] < from && to <= r[1]);
      const log = price && logs.find((l) => price[0] <= l.at && l.at <= from);
      return log ? [{ id, label, price, log }] : [];
    }),
  );
  assert.ok(found, "no goroutine has a region within another and a message");
  const { id, label, price, log } = found;
  const [from, to] = [price[0], price[1]];
  const slack = Math.round((to - from) / 4);
  await p.page.goto(`${address}/timeline?file=shop.whet#t=${from - slack}-${to + slack}&pin=${id}&more=${id}`);
  await p.page.reload();
  await p.page.waitForSelector("main[data-ready]");
  await p.page.getByText("Pinned 1").waitFor();
  await p.settle(); // rows are made anew while they come
  const name = await p.page.locator(`.name[data-id="${id}"]`).first().boundingBox();
  const all = await canvas.boundingBox();
  const left = name.x + name.width;
  /** Where a time is on the canvas. */
  const x = (time) => left + ((time - from + slack) / (to - from + 2 * slack)) * (all.x + all.width - left);
  /** The heights at which the tooltip says something, at a time, or some pixels from it. */
  const heights = async (time, wanted, by = 0) => {
    const ys = [];
    for (let y = name.y; y < name.y + 90; y += 3) {
      await p.page.mouse.move(x(time) + by, y);
      await p.page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
      const tip = p.page.locator(".tooltip");
      if ((await tip.isVisible()) && wanted.test(await tip.innerText())) ys.push(y);
    }
    return ys;
  };
  const middle = (label[0] + label[1]) / 2;
  const outer = await heights(middle, /^price \d[\s\S]*region[\s\S]*goroutine/i);
  const inner = await heights(middle, /^label \d[\s\S]*region/i);
  await p.settle("regions");
  assert.ok(outer.length > 2 && inner.length > 2, `${outer} and ${inner}`);
  assert.ok(Math.max(...outer) < Math.min(...inner), `label is not below price: ${outer} and ${inner}`);
  assert.ok(Math.min(...outer) > name.y + 10, "regions are below the states");
  // The message is at its time, and nowhere else.
  let said = [];
  for (let by = -12; by <= 12 && said.length === 0; by += 4) said = await heights(log.at, /^step: before the label/, by);
  assert.ok(said.length > 0 && Math.max(...said) < Math.min(...outer), `the message is at ${said}`);
  assert.deepEqual(await heights(to - (to - from) / 50, /before the label/), []);
  // Details, and a double click, which zooms to the region.
  await p.page.mouse.click(x(middle), inner[1]);
  const details = p.page.locator(".details");
  await details.getByText("label region").waitFor();
  await p.settle("regions-details");
  await p.accessible();
  await p.page.getByRole("button", { name: "Zoom to it" }).click();
  await p.page.waitForFunction((was) => !location.hash.includes(was), `t=${from - slack}-`);
  const [, a, b] = /t=(\d+)-(\d+)/.exec(await p.page.evaluate(() => location.hash)).map(Number);
  assert.ok(a <= label[0] && b >= label[1] && b - a < to - from + 2 * slack, `${a}-${b} of ${label}`);
  await p.close();
});

step("the CPU samples of a timeline's window are a flame graph", async () => {
  const p = await open("/timeline?file=shop.whet", "main[data-ready]");
  await p.page.locator('.name[data-id^="p"]').first().click();
  const details = p.page.locator(".details");
  const samples = async () => {
    await details.locator(".flame-boxes button").first().waitFor();
    return Number(/(\d+) samples/.exec(await details.innerText())[1]);
  };
  await details.getByRole("button", { name: "CPU flame" }).click();
  const all = await samples();
  assert.ok(all > 10, `${all} samples`);
  await p.page.locator(".lanes canvas").focus();
  await p.page.keyboard.press("w"); // half of the window
  await p.page.waitForFunction((n) => !document.querySelector(".details").innerText.includes(`\n${n} samples`), all);
  const half = await samples();
  assert.ok(half < all);
  // And those of an area, which is a part of a half.
  await p.page.waitForFunction(() => /t=\d+-\d+/.test(location.hash));
  const [, from, to] = /t=(\d+)-(\d+)/.exec(await p.page.evaluate(() => location.hash)).map(Number);
  await p.page.evaluate((h) => (location.hash = h), `#area=${from}-${Math.round((from + to) / 2)},p0`);
  await p.page.reload();
  await p.page.waitForSelector("main[data-ready]");
  await details.getByText("Time in each state").waitFor();
  await details.getByRole("button", { name: "CPU flame" }).click();
  const some = await samples();
  assert.ok(some > 0 && some < half, `${some} of ${half} samples`);
  await p.settle("area-flame");
  await p.close();
});

step("hidden frames leave their cost to those who called them", async () => {
  const p = await open("/flame?file=shop.whet&list=functions", ".flame-host .graph canvas");
  const rows = p.page.locator(".virtual-row");
  const search = p.page.getByRole("search").getByRole("searchbox");
  /** What the list says of a function. */
  const row = async (name) => {
    await search.fill(name);
    return rows.filter({ hasText: name }).first().innerText();
  };
  const serve = "(*conn).serve";
  const before = await row(serve);
  assert.match(before, /total \d+(\.\d+)?%/i);
  assert.match(await row("main.label"), /\d%/);
  await p.page.locator(".flame-filters > summary").click();
  const field = p.page.getByLabel("Hide frames that match");
  await field.fill("^main\\.label$");
  await field.press("Enter");
  await p.page.waitForFunction(() => new URLSearchParams(location.search).get("hide") === "^main\\.label$");
  await rows.filter({ hasText: "main.label" }).first().waitFor({ state: "detached" });
  assert.equal(await row(serve), before, "its cost is gone, too");
  await p.settle("hidden");
  await p.page.locator(".share-button").click();
  assert.match(await p.page.getByRole("dialog").innerText(), /--hide '\^main\\.label\$'/);
  await p.page.keyboard.press("Escape");
  await p.page.getByRole("button", { name: "Show everything" }).click();
  assert.match(await row("main.label"), /\d%/);
  await p.close();
});

step("where there is nothing, views say so", async () => {
  for (const view of ["graph", "over-time"]) {
    const p = await open(`/${view}?file=shop.whet&focus=no.such.function`, ".quiet");
    await p.page.getByText("No sample has a value of this type, or the filters drop all.").waitFor();
    assert.equal(await p.page.locator("main table").count(), 0);
    await p.settle(`nothing-${view}`);
    await p.accessible();
    await p.close();
  }
});

step("the minimap of a flame graph moves the part that is shown", async () => {
  const p = await open("/flame?file=shop.whet", ".flame-host .graph canvas");
  await p.settle();
  const map = p.page.locator(".minimap");
  const mark = map.locator(".minimap-window");
  const part = () => p.page.evaluate(() => (new URLSearchParams(location.search).get("x") ?? "").split("-").map(Number));
  assert.equal(await mark.isVisible(), false, "everything is shown");
  // Zoomed with the wheel, and then dragged along.
  const graph = await p.page.locator(".flame-host .graph canvas").boundingBox();
  await p.page.mouse.move(graph.x + graph.width / 2, graph.y + 30);
  await p.page.keyboard.down("Control");
  for (let i = 0; i < 4; i++) await p.page.mouse.wheel(0, -200);
  await p.page.keyboard.up("Control");
  await p.page.waitForFunction(() => location.search.includes("x="));
  await p.settle("minimap");
  const [from, to] = await part();
  const box = await map.boundingBox();
  const shown = await mark.boundingBox();
  const at = (n) => box.x + n * box.width;
  assert.ok(Math.abs(shown.x - at(from)) < 3 && Math.abs(shown.width - (to - from) * box.width) < 6, "the window is marked");
  const y = box.y + box.height / 2;
  const picture = () => p.page.locator(".flame-host .graph canvas").evaluate((c) => c.toDataURL());
  const before = await picture();
  await p.page.mouse.click(at(0.02), y);
  await p.page.waitForFunction(() => /[?&]x=0-/.test(location.search));
  await p.settle();
  const [start, end] = await part();
  assert.ok(start === 0 && Math.abs(end - (to - from)) < 0.01, `a click moves to ${start}-${end}`);
  assert.notEqual(await picture(), before);
  await p.page.mouse.move(at(0.02), y);
  await p.page.mouse.down();
  await p.page.mouse.move(at(0.5), y, { steps: 5 });
  await p.page.mouse.move(at(0.98), y, { steps: 5 });
  await p.page.mouse.up();
  await p.page.waitForFunction(() => Number(/[?&]x=([\d.]+)-/.exec(location.search)?.[1]) > 0.01);
  await p.settle("minimap-dragged");
  const [last, one] = await part();
  assert.ok(Math.abs(one - 1) < 0.001 && Math.abs(one - last - (to - from)) < 0.01, `a drag moves to ${last}-${one}`);
  // The link has it.
  await p.page.reload();
  await mark.waitFor();
  await p.settle();
  const again = await mark.boundingBox();
  assert.ok(Math.abs(again.x + again.width - (box.x + box.width)) < 3, JSON.stringify(again));
  await p.page.getByRole("button", { name: "Show everything" }).click();
  await mark.waitFor({ state: "hidden" });
  await p.close();
});

step("findings have contents, and filters that the link keeps", async () => {
  const p = await open("/findings?file=many.json", ".finding-row");
  const contents = p.page.locator(".contents");
  const rules = contents.locator(".rule-list button");
  assert.deepEqual(await rules.allInnerTexts(), ["concat 6", "fmt 3", "regexp 3"]);
  const links = contents.locator("nav a");
  assert.equal(await links.count(), 2 + 12);
  // A rule and a file.
  await contents.getByRole("button", { name: "concat" }).click();
  await p.page.waitForFunction(() => location.search.includes("rule=concat"));
  assert.equal(await p.page.locator(".finding-row").count(), 6);
  await contents.getByRole("searchbox").fill("part1.go");
  await p.page.waitForFunction(() => document.querySelectorAll(".finding-row").length === 2);
  assert.match(await contents.locator("summary").innerText(), /Contents 2 of 13/);
  assert.deepEqual(await rules.allInnerTexts(), ["concat 2", "fmt 1", "regexp 1"]);
  await p.settle("contents");
  await p.accessible();
  // The link reproduces it, and where the reader went.
  await contents.getByRole("link", { name: /concat number 4/ }).click();
  const there = () => p.page.evaluate(() => document.activeElement?.querySelector("h3")?.textContent ?? "");
  await p.page.waitForFunction(() => location.search.includes("at=finding-"));
  assert.equal(await there(), "concat number 4");
  await p.page.reload();
  await p.page.locator(".finding-row").first().waitFor();
  assert.equal(await p.page.locator(".finding-row").count(), 2);
  assert.equal(await there(), "concat number 4");
  assert.equal(await contents.locator("a[aria-current]").innerText(), "concat number 4 10.00%");
  // Back leads to before the jump, with the filters.
  await p.page.goBack();
  await p.page.waitForFunction(() => !location.search.includes("at="));
  assert.equal(await p.page.locator(".finding-row").count(), 2);
  await contents.getByRole("searchbox").fill("nothing like it");
  await p.page.getByText("The filters keep nothing.").waitFor();
  await contents.getByRole("button", { name: "Clear filters" }).click();
  await p.page.waitForFunction(() => document.querySelectorAll(".finding-row").length === 12);
  assert.ok(!/rule=|q=/.test(p.page.url()), p.page.url());
  // A jump scrolls; two findings with one ID are two places.
  await contents.getByRole("link", { name: /fmt number 11/ }).click();
  await p.page.waitForFunction(() => document.activeElement?.textContent.includes("fmt number 11"));
  const top = await p.page.locator(".finding-row", { hasText: "fmt number 11" }).evaluate((e) => e.getBoundingClientRect().top);
  assert.ok(top > 0 && top < 700, `${top}`);
  await p.close();
});

step("proofs are beside the changes", async () => {
  for (const [path, ready] of [["/fixes?file=fixes.json", ".attempt .two"], ["/proof?file=faster.json", ".two"]]) {
    const p = await open(path, ready, { viewport: { width: 1280, height: 800 } });
    const boxes = await p.page.locator(ready).first().locator("> *").evaluateAll((all) =>
      all.map((e) => [e.getBoundingClientRect(), e.matches(".diff") || e.querySelector(".diff") !== null]),
    );
    const [[left, one], [right, other]] = boxes;
    assert.ok(left.right <= right.left && left.top === right.top, `${path}: ${JSON.stringify(boxes)}`);
    assert.notEqual(one, other, `${path}: one is the change`);
    await p.settle(`beside-${path.slice(1, 5)}`);
    await p.close();
  }
});

step("rewrites and verdicts have contents, too", async () => {
  const p = await open("/fixes?file=fixes.json", ".attempt");
  const contents = p.page.locator(".contents");
  assert.deepEqual(await contents.locator(".rule-list button").allInnerTexts(), ["concat 3"]);
  await contents.getByRole("link", { name: "string formatted by fmt dropped" }).click();
  await p.page.waitForFunction(() => location.search.includes("at=rewrite-f2"));
  assert.match(await p.page.evaluate(() => document.activeElement.textContent), /want <a>/);
  await contents.getByRole("searchbox").fill("JSON");
  await p.page.waitForFunction(() => document.querySelectorAll(".attempt").length === 1);
  assert.equal(await p.page.locator("#untried").count(), 0);
  await p.accessible();
  await p.page.goto(`${address}/proof?file=faster.json`);
  await p.page.locator(".figures").waitFor();
  const titles = await contents.locator("nav a").allInnerTexts();
  const heads = await p.page.locator(".with-contents-page .block > .block-head h2").allInnerTexts();
  assert.deepEqual(titles, heads);
  await contents.getByRole("searchbox").fill("Join sec");
  await p.page.waitForFunction(() => document.querySelectorAll(".figures tbody tr").length === 0);
  await contents.getByRole("searchbox").fill("join");
  await p.page.waitForFunction(() => document.querySelectorAll(".figures tbody tr").length > 0);
  assert.ok((await p.page.locator("#change .diff span").count()) > 2);
  await p.close();
});

step("on a phone, contents and filters fold", async () => {
  for (const [path, ready] of [
    ["/findings?file=many.json", ".finding-row"],
    ["/fixes?file=fixes.json", ".attempt"],
    ["/proof?file=faster.json", ".figures"],
  ]) {
    const p = await open(path, ready, { viewport: { width: 390, height: 844 } });
    const search = p.page.locator(".contents").getByRole("searchbox");
    assert.equal(await search.isVisible(), false, path);
    await p.page.locator(".contents > summary").click();
    await search.waitFor();
    await p.settle(`contents-${path.slice(1, 5)}-390`);
    await p.accessible();
    assert.ok(await p.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), path);
    await p.close();
  }
});

await journey.walk();
