// Walks through pages of benchmarks along commits as a reader would, in a real browser.
//
//   node journey/benchhistory.mjs DIR [SHOTS]
//
// DIR holds pages that the Go test TestBenchHistoryJourney wrote; it runs this script
// (npm run journey runs the test). SHOTS, if given, is a folder for screenshots.
// Exit code 77 means: no browser here.
import assert from "node:assert/strict";
import { start } from "./browser.mjs";

const journey = await start({ height: 900, pause: 60, fullPage: false });
const { open, step } = journey;

const names = (p) => p.page.locator(".series h2").evaluateAll((all) => all.map((e) => e.firstChild.textContent));

step("changes stand in a table and in the charts", async () => {
  const p = await open("few.html");
  await p.settle("few");
  assert.match(await p.page.locator("header").innerText(), /Benchmarks along 24 commits/);
  assert.match(await p.page.locator("section[aria-label^=Changes]").innerText(), /size=0\s+sec\/op[\s\S]*worse/);
  assert.match(await p.page.locator("section[aria-label^=Gates]").innerText(), /sec\/op<-20%[\s\S]*fails/);
  assert.match((await names(p))[0], /size=0/);
  assert.ok((await p.page.locator(".plot canvas").count()) >= 2);
  assert.match(await p.page.locator(".series").first().innerText(), /GOMAXPROCS 8[\s\S]*\+10%.*worse/);
  await p.close();
});

step("pointer and keyboard tell of commits", async () => {
  const p = await open("few.html");
  const plot = p.page.locator(".plot").first();
  await plot.focus();
  await p.page.keyboard.press("End");
  assert.match(await p.page.locator(".live").innerText(), /2026-01-02 03:23:00 UTC · Encode faster, maybe: 1\.\d+µ sec\/op \(.* to .*\), 6 measurements/);
  for (let i = 0; i < 24; i++) {
    await p.page.keyboard.press("ArrowLeft");
    if (/Changed: \+/.test(await p.page.locator(".live").innerText())) break;
  }
  assert.match(await p.page.locator(".live").innerText(), /Changed: \+\d+.*worse/);
  await p.settle("keyboard");
  const box = await plot.locator(".u-over").boundingBox();
  await p.page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  assert.match(await p.page.locator(".reading").first().innerText(), /UTC .*measurements/);
  await p.page.locator(".series").first().getByText("as a table").click();
  await p.page.locator(".series").first().locator("tbody tr").nth(23).waitFor();
  await p.close();
});

step("commits have subjects, verdicts have colors, and links lead to results", async () => {
  const p = await open("few.html");
  const table = p.page.locator("section[aria-label^=Changes]");
  assert.match(await table.locator("tr.commit").first().innerText(), /\.\.\w+ 2026-01-02 Encode faster, maybe/);
  const color = (selector) => p.page.locator(selector).first().evaluate((e) => getComputedStyle(e).color);
  assert.notEqual(await color("section[aria-label^=Changes] .bad"), await color("section[aria-label^=Changes] tbody td"));
  assert.equal(await p.page.locator(".commits").isVisible(), false);
  await table.getByRole("link").first().click();
  const panel = p.page.locator(".commits");
  await panel.waitFor();
  assert.match(await panel.locator("tbody tr").first().innerText(), /size=0\s+sec\/op[\s\S]*\+\d+(\.\d)?%\s+worse/);
  assert.match(await panel.locator("h2").innerText(), /Encode faster, maybe/);
  await p.settle("results");
  await p.accessible();
  // The link reproduces it, Back closes it, and other commits can be compared.
  const hash = await p.page.evaluate(() => location.hash);
  assert.match(hash, /^#commit=\w+&base=\w+$/);
  const other = await open("few.html", { ready: ".commits tbody tr" }, hash);
  assert.equal(await other.page.locator(".commits").innerText(), await panel.innerText());
  await other.page.getByLabel("Compared with").selectOption({ index: 0 });
  await other.page.waitForFunction((h) => location.hash !== h, hash);
  await other.page.getByRole("button", { name: "Close" }).click();
  await other.page.locator(".commits").waitFor({ state: "hidden" });
  await other.close();
  const none = await open("few.html", { ready: ".commits:not([hidden])" }, "#commit=nothing");
  assert.match(await none.page.locator(".commits").innerText(), /no results of the commit nothing/);
  await none.close();
  await p.page.goBack();
  await panel.waitFor({ state: "hidden" });
  // By keyboard, from a chart.
  await p.page.locator(".plot").first().focus();
  await p.page.keyboard.press("End");
  await p.page.keyboard.press("Enter");
  await panel.waitFor();
  await p.page.keyboard.press("?");
  await p.page.getByRole("dialog", { name: "Benchmarks along commits" }).waitFor();
  await p.close();
});

step("many are filtered, and a link reproduces that", async () => {
  const p = await open("many.html");
  await p.settle("many");
  const all = await p.page.locator(".plot").count();
  assert.equal(all, 120);
  assert.ok((await p.page.locator(".plot canvas").count()) < 60, "what is far below is not drawn");
  await p.page.getByRole("button", { name: "Changed" }).click();
  const changed = await names(p);
  assert.ok(changed.length >= 18 && changed.length < 30, `${changed.length} changed`);
  await p.page.getByRole("searchbox").fill("size=3");
  const found = await names(p);
  assert.ok(found.length >= 3 && found.every((n) => n.includes("size=3")));
  const hash = await p.page.evaluate(() => location.hash);
  await p.close();
  const again = await open("many.html", {}, hash);
  assert.deepEqual(await names(again), found);
  await again.page.getByRole("searchbox").fill("nothing like that");
  assert.match(await again.page.locator(".grid").innerText(), /No matching series/);
  await again.close();
});

step("a single commit is no trouble", async () => {
  const p = await open("one.html");
  await p.settle("one");
  assert.match(await p.page.locator("main").innerText(), /Nothing changed/);
  await p.close();
});

journey.foreignNames();

journey.themeColors("few.html", ".plot canvas");

step("narrow, wide, light and dark", async () => {
  for (const name of ["few", "hostile"]) {
    for (const width of [360, 2560]) {
      for (const colorScheme of ["light", "dark"]) {
        const p = await open(`${name}.html`, { viewport: { width, height: width < 500 ? 740 : 1400 }, colorScheme });
        await p.settle(`${name}-${width}-${colorScheme}`);
        const wide = await p.page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(wide <= width, `${name} is ${wide} px wide in a window of ${width}`);
        await p.page.locator(".plot").first().scrollIntoViewIfNeeded();
        await p.settle(`${name}-${width}-${colorScheme}-charts`);
        for (const box of await p.page.locator(".plot canvas").evaluateAll((all) => all.map((c) => c.getBoundingClientRect()))) {
          assert.ok(box.width > 200 && box.height > 150, `a chart of ${name} is ${box.width} by ${box.height} px in a window ${width} px wide`);
        }
        await p.close();
      }
    }
  }
});

journey.accessible(["few.html"]);

await journey.walk();
