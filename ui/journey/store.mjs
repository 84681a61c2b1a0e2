// Walks through the pages of a store of profiles as a user would, in a real browser.
//
//   node journey/store.mjs DIR [SHOTS]
//
// DIR holds the addresses of three servers, one of which has an empty store and one a shard that is
// down, and the name of a function that got slower, from the Go test TestJourneyStore of internal/server/workbench; it runs this script.
// SHOTS, if given, is a folder for screenshots. Exit code 77 means: no browser here.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import assert from "node:assert/strict";
import { start, violations } from "./browser.mjs";

const journey = await start({ height: 900, pause: 250, fullPage: false });
const { step } = journey;
const read = (name) => readFileSync(join(journey.dir, `${name}.html`), "utf8").trim();
const [address, empty, partial, victim] = ["address", "empty", "partial", "victim"].map(read);

const rows = ".store-lines tbody tr";
const chart = ".store .u-over";
const shown = (p, name) => p.page.evaluate((n) => new URLSearchParams(location.search).get(n) ?? "", name);

async function open(path, ready, options) {
  return journey.open(address + path, { ready, ...options });
}

/** Fails if the page is hard to use without a mouse or eyes, or wider than the window. */
async function accessible(p) {
  await p.page.waitForFunction(() => !document.querySelector(".busy")); // what is out of date is pale
  assert.deepEqual(await violations(p.page), []);
  assert.ok(await p.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "wider than the window");
}

/** What the console shows of an answer that the page explains. */
const refused = /the server responded with a status of 4\d\d/;

step("which line cost how much, and when", async () => {
  const p = await open("/", rows); // without files, the store is the first page
  assert.match(await p.page.evaluate(() => location.pathname), /^\/store$/);
  await p.page.getByLabel("Service").selectOption("service001");
  await p.page.getByRole("heading", { name: "service001 over time" }).waitFor();
  await p.page.getByRole("button", { name: "last 7d" }).click();
  await p.page.waitForFunction(() => location.search.includes("since=7d"));
  await p.page.locator(chart).waitFor();
  await p.settle("lines");
  assert.equal(await p.page.locator(rows).count(), 20);
  await p.page.getByRole("button", { name: "50", exact: true }).click();
  await p.page.waitForFunction(() => document.querySelectorAll(".store-lines tbody tr").length > 20);
  // Shares of the total, which are at most 1 in all.
  const shares = await p.page.locator(`${rows} td:nth-child(3)`).allInnerTexts();
  const sum = shares.map(parseFloat).reduce((a, b) => a + b, 0);
  assert.ok(sum > 20 && sum < 100.6, `${sum}%`);
  // A column is read out.
  await p.page.locator(".store .plot").focus();
  await p.page.keyboard.press("End");
  for (let i = 0; i < 4; i++) await p.page.keyboard.press("ArrowLeft"); // the last hours may have no profiles yet
  assert.match(await p.page.locator(".reading").innerText(), /: \S+ \d+\.\d+% · /);
  // Two columns are selected by keys, and shown.
  await p.page.keyboard.press("Shift+ArrowLeft");
  await p.page.keyboard.press("Enter");
  await p.page.waitForFunction(() => location.search.includes("from=") && !location.search.includes("since="));
  await p.page.locator(rows).first().waitFor();
  await p.page.goBack();
  await p.page.waitForFunction(() => location.search.includes("since=7d"));
  await p.page.locator(chart).waitFor();
  await p.settle();
  // And by dragging.
  const box = await p.page.locator(chart).boundingBox();
  await p.page.mouse.move(box.x + box.width * 0.6, box.y + 50);
  await p.page.mouse.down();
  await p.page.mouse.move(box.x + box.width * 0.8, box.y + 60, { steps: 5 });
  await p.page.mouse.up();
  await p.page.waitForFunction(() => location.search.includes("from="));
  const hours = (Date.parse(await shown(p, "to")) - Date.parse(await shown(p, "from"))) / 3_600_000;
  assert.ok(hours > 20 && hours < 48, `${hours} hours`);
  await p.page.locator(rows).first().waitFor();
  // Lines of values instead of areas of shares.
  await p.page.getByRole("button", { name: "Lines", exact: true }).click();
  await p.page.getByRole("button", { name: "Cost", exact: true }).click();
  await p.page.waitForFunction(() => location.search.includes("chart=lines") && location.search.includes("as=cost"));
  await p.settle("lines-cost");
  await accessible(p);
  await p.close();
});

step("each time opens in every view", async () => {
  const query = encodeURIComponent('{service="service001"}');
  const p = await open(`/store?query=${query}`, rows);
  const name = await p.page.locator(`${rows} .row-name`).first().innerText();
  await p.page.locator(`${rows} .row-name`).first().click();
  await p.page.locator(".flame-host .graph canvas").waitFor();
  assert.match(await shown(p, "file"), /^store:cpu\{service="service001"\}@20\S+Z\/20\S+Z$/);
  await p.page.locator('.virtual-row[aria-selected="true"]', { hasText: name }).waitFor();
  assert.equal(await p.page.getByLabel("Sample type").inputValue(), "cpu");
  await p.settle("store-flame");
  await accessible(p);
  for (const [view, ready] of [["Graph", ".callgraph .node"], ["Overview", ".line-row"]]) {
    await p.page.getByRole("navigation").getByRole("link", { name: view, exact: true }).click();
    await p.page.locator(ready).first().waitFor();
    await p.settle(`store-${view.toLowerCase()}`);
    await accessible(p);
  }
  // Back to the store, with the same selection.
  await p.page.locator(".stored-name").click();
  await p.page.locator(rows).first().waitFor();
  assert.equal(await shown(p, "query"), '{service="service001"}');
  await p.page.locator(".share-button").click();
  assert.match(await p.page.getByRole("dialog").innerText(), /whet query timeline '\{service="service001"\}' --type cpu --from 20/);
  const saving = p.page.waitForEvent("download");
  await p.page.locator(".share-files").getByText("Save as pprof").click();
  assert.match(readFileSync(await (await saving).path()).toString("latin1"), /^\x1f\x8b/);
  await p.close(refused); // the source of these services is not here
});

step("the selector completes names and values", async () => {
  const p = await open("/store?since=7d", rows);
  const field = p.page.getByRole("combobox", { name: "Selector of labels" });
  await field.click();
  await p.page.getByRole("option", { name: "version" }).waitFor();
  await field.pressSequentially("ver");
  await p.page.waitForFunction(() => document.querySelectorAll(".selector-list li").length === 1);
  await p.page.keyboard.press("ArrowDown");
  await p.page.keyboard.press("Enter");
  assert.equal(await field.inputValue(), "version=");
  const values = p.page.getByRole("listbox", { name: "Selector of labels" }).getByRole("option");
  await values.first().waitFor();
  await accessible(p);
  await p.settle("selector");
  await p.page.keyboard.press("ArrowDown");
  await p.page.keyboard.press("Enter");
  assert.match(await field.inputValue(), /^version="\S+"$/);
  await p.page.keyboard.press("Escape");
  await p.page.keyboard.press("Enter");
  await p.page.waitForFunction(() => new URLSearchParams(location.search).get("query")?.startsWith('{version="'));
  await p.page.locator(rows).first().waitFor();
  // What is not a selector is explained, and nothing is asked for.
  await field.fill("{version=");
  await p.page.keyboard.press("Escape");
  await p.page.getByText("This is not a selector.").waitFor();
  await accessible(p);
  // A regular expression is checked by the server.
  await field.fill('version=~"("');
  await p.page.keyboard.press("Escape");
  await p.page.keyboard.press("Enter");
  await p.page.locator(".trouble", { hasText: "missing closing )" }).first().waitFor();
  await p.close(refused);
});

step("two times and two versions are compared", async () => {
  const query = encodeURIComponent('{service="service001"}');
  const p = await open(`/store?query=${query}&since=24h`, rows);
  const link = p.page.locator(".store-compare a.button");
  await link.click();
  await p.page.locator(".diff-table, .compare .quiet").first().waitFor();
  const [file, base] = [await shown(p, "file"), await shown(p, "base")];
  assert.equal(base.split("/").at(-1), /@(\S+)\//.exec(file)[1], "the time before ends where the other begins");
  await p.page.getByText("Shares of the total are compared").waitFor();
  await p.settle("store-compare");
  await accessible(p);
  await p.page.goBack();
  await p.page.getByRole("button", { name: "versions or other labels" }).click();
  await p.page.waitForFunction(() => location.search.includes("by=label"));
  await p.page.getByRole("button", { name: "last 7d" }).click();
  await p.page.locator(".store-compare a.button").waitFor();
  assert.equal(await p.page.locator(".compare-form select").first().inputValue(), "version");
  await link.click();
  await p.page.locator(".diff-table").waitFor();
  assert.match(await shown(p, "base"), /version="/);
  await p.page.getByLabel("Hide what is within the noise").check();
  await p.page.locator(".diff-table .grew", { hasText: victim.split("/").at(-1) }).first().waitFor();
  await p.close();
});

step("regressions, with the deploy and the comparison", async () => {
  const p = await open("/store/regressions?since=7d", ".regressions tbody tr");
  const row = p.page.locator(".regressions tbody tr", { hasText: victim.split("/").at(-1) }).first();
  assert.match(await row.innerText(), /\d%[\s\S]*\d%[\s\S]*\+\d[\s\S]*version \S+ → \S+/);
  await row.getByRole("link", { name: /^Compare/ }).click();
  await p.page.locator(".diff-table .grew", { hasText: victim.split("/").at(-1) }).first().waitFor();
  await p.close();
});

step("single profiles, alone and compared", async () => {
  const query = encodeURIComponent('{service="service001",host="host01"}');
  const p = await open("/store/profiles?since=24h", ".live-table tbody tr");
  const table = p.page.getByRole("region", { name: "Profiles", exact: true });
  assert.equal(await table.locator("tbody tr").count(), 500);
  await p.page.getByText("Only the newest 500 are listed").waitFor();
  // A thousand series are there, and two hundred are listed.
  await p.page.getByLabel("Service").selectOption("many");
  await p.page.getByText("800 more series are not listed").waitFor();
  for (const [width, scheme] of [[390, "dark"], [1280, "light"]]) {
    await p.page.setViewportSize({ width, height: 900 });
    await p.page.emulateMedia({ colorScheme: scheme });
    await p.settle(`profiles-${width}-${scheme}`);
    await accessible(p);
  }
  await table.getByRole("button", { name: "mark" }).nth(1).click();
  await p.page.waitForFunction(() => location.search.includes("mark="));
  await table.getByRole("link", { name: "with the marked one" }).first().click();
  await p.page.locator(".compare .verdict").waitFor();
  const [file, base] = [await shown(p, "file"), await shown(p, "base")];
  assert.ok(base.split("@")[1] < file.split("@")[1], "the older one is before");
  await p.page.goBack();
  await table.locator("tbody th a").first().click();
  await p.page.locator(".flame-host .graph canvas").waitFor();
  assert.match(decodeURIComponent(p.page.url()), /store:cpu\{service="many",instance="10\.0\.\d+\.\d+:6060"\}@/);
  await p.close();
  const one = await open(`/store/profiles?query=${query}&since=6h`, "main");
  await one.page.locator(".live-table tbody tr, .empty").first().waitFor();
  await one.close();
});

step("a recording that a trigger made opens in every view", async () => {
  const query = encodeURIComponent('{service="service001"}');
  const p = await open(`/store?query=${query}&since=7d`, ".store-recordings tbody tr");
  const list = p.page.locator(".store-recordings tbody tr");
  assert.equal(await list.count(), 3); // the newest first
  const second = list.nth(1);
  assert.match(await second.innerText(), /service001\s+GET \/pad took 800 ms\s+trigger.*slow\s+1\.5/);
  await accessible(p);
  // The file itself.
  const saving = p.page.waitForEvent("download");
  await second.getByRole("link", { name: /^download/ }).click();
  const saved = await saving;
  assert.match(saved.suggestedFilename(), /^[0-9a-f]{32}\.whet$/);
  assert.match(readFileSync(await saved.path()).toString("latin1"), /^PK/);
  // And in the views.
  await second.getByRole("link").first().click();
  await p.page.locator(".line-row").first().waitFor();
  assert.match(await p.page.evaluate(() => location.pathname), /\/overview$/);
  assert.equal(await shown(p, "file"), `stored/${saved.suggestedFilename()}`);
  await p.settle("store-recording");
  await accessible(p);
  await p.page.getByRole("navigation").getByRole("link", { name: "Flame", exact: true }).click();
  await p.page.locator(".flame-host .graph canvas").waitFor();
  assert.equal(await shown(p, "file"), `stored/${saved.suggestedFilename()}`);
  await p.close(refused); // the source of this service is not here
});

step("targets and their states", async () => {
  const p = await open("/store/targets", ".targets tbody tr");
  assert.equal(await p.page.locator(".targets tbody tr").count(), 500);
  await p.page.getByText("700 more targets are not listed").waitFor();
  await p.page.getByRole("heading", { name: "Processes that share the targets: 2" }).waitFor();
  await p.page.getByText("scraped by watch-1").first().waitFor();
  // Those that are down come first, with the error as text.
  const first = p.page.locator(".targets tbody tr").first();
  assert.match(await first.innerText(), /down[\s\S]*3 failures in a row[\s\S]*connection refused <img/);
  await p.page.locator(".warnings", { hasText: "the store fails" }).waitFor();
  assert.match(await p.page.locator(".target-bar .quiet").innerText(), /123,456 stored, 7 waiting/);
  await p.page.getByRole("button", { name: /^waiting 3$/ }).click();
  await p.page.waitForFunction(() => document.querySelectorAll(".targets tbody tr").length === 3);
  await p.page.getByRole("button", { name: /^up 1,194$/ }).click();
  await p.page.getByLabel("Filter by name").fill("10.0.3.7:");
  await p.page.waitForFunction(() => document.querySelectorAll(".targets tbody tr").length === 1);
  // 6 of 60 seconds.
  assert.match(await first.innerText(), /10\.?0*%/);
  await first.getByRole("link").click();
  await p.page.waitForURL(/\/store\?query=/);
  // It has no profiles: the page says so, and what to do.
  await p.page.getByText("No profiles were stored in this time").waitFor();
  await p.page.getByRole("button", { name: "Select everything" }).click();
  await p.page.locator(rows).first().waitFor();
  await p.close(refused);
});

step("what is not there is explained", async () => {
  const old = encodeURIComponent('{service="old"}');
  const p = await open(`/store?query=${old}`, ".empty");
  await p.settle("nothing");
  await accessible(p);
  await p.page.getByRole("button", { name: "Show the day before it" }).click();
  await p.page.locator(rows).first().waitFor();
  assert.equal(await p.page.getByLabel("Sample type").count(), 1);
  await p.close(refused);
  const q = await journey.open(empty, { ready: ".empty" });
  await q.page.getByText("The store is empty.").waitFor();
  assert.match(await q.page.locator(".empty").innerText(), /whet push cpu\.pb\.gz --service shop --store http:/);
  await accessible(q);
  await q.page.getByRole("link", { name: "Scraped targets" }).click();
  await q.page.getByText("whet serve --store profiles --scrape targets.yaml").waitFor();
  await accessible(q);
  await q.close(refused);
});

step("a shard that is missing is named on every page", async () => {
  const p = await journey.open(`${partial}/store?since=7d`, { ready: rows });
  for (const page of ["Single profiles", "Regressions", "Profiles over time"]) {
    await p.page.getByRole("link", { name: page, exact: true }).click();
    const alert = p.page.getByRole("alert").filter({ hasText: "Partial answer:" });
    await alert.getByText("shard 2 (10.0.0.2:9000) of cluster main does not answer").waitFor();
    await p.page.waitForLoadState("networkidle");
    assert.equal(await alert.count(), 1, page);
    await accessible(p);
  }
  for (const view of ["Overview", "Flame", "Graph"]) {
    await p.page.locator(".chart-links").getByRole("link", { name: view }).click();
    await p.page.getByText("shard 2 (10.0.0.2:9000) of cluster main does not answer").first().waitFor();
    await p.page.goBack();
    await p.page.locator(rows).first().waitFor();
  }
  await p.close();
});

step("foreign names are text", async () => {
  const p = await open("/store", rows);
  await p.page.getByLabel("Service").selectOption({ index: 1 });
  await p.page.getByRole("heading", { name: "<img src=x" }).waitFor();
  await p.page.locator(rows).first().waitFor();
  await p.page.getByRole("link", { name: "Single profiles" }).click();
  await p.page.locator(".label", { hasText: "onerror" }).first().waitFor();
  await p.page.locator(".live-table tbody th a").first().click();
  await p.page.locator(".flame-host .graph canvas, .trouble").first().waitFor();
  assert.equal(await p.page.evaluate(() => window.pwned), undefined);
  assert.equal(await p.page.evaluate(() => document.querySelectorAll("main img").length), 0);
  await p.close(refused);
});

step("the keyboard finds the pages", async () => {
  const p = await open("/store", rows);
  await p.page.keyboard.press("Control+k");
  await p.page.getByRole("combobox", { name: /View, file/ }).fill("regress");
  await p.page.keyboard.press("Enter");
  await p.page.waitForURL(/\/store\/regressions/);
  await p.page.locator("h1").waitFor();
  await p.page.keyboard.press("g");
  await p.page.keyboard.press("p");
  await p.page.waitForURL(/\/store(\?|$)/);
  await p.page.locator(rows).first().waitFor();
  await p.page.keyboard.press("?");
  await p.page.getByRole("dialog", { name: "Keys" }).getByText("Show what is stored by now").waitFor();
  await accessible(p);
  await p.close();
});

const one = encodeURIComponent('{service="service001",host="host01"}');
journey.inAllSizes(
  {
    store: ["/store?since=7d", rows],
    "store-profiles": [`/store/profiles?since=24h&query=${one}`, ".live-table tbody tr"],
    "store-regressions": ["/store/regressions?since=7d", ".regressions tbody tr"],
    "store-targets": ["/store/targets", ".targets tbody tr"],
  },
  open,
  accessible,
);

await journey.walk();
