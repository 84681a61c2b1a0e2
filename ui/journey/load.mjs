// Walks through the pages with charts of loads as a reader would, in a real browser.
//
//   node journey/load.mjs DIR [SHOTS]
//
// DIR holds pages that the Go test TestLoadJourney wrote; it runs this script
// (npm run journey runs the test). SHOTS, if given, is a folder for screenshots.
// Exit code 77 means: no browser here.
import assert from "node:assert/strict";
import { start } from "./browser.mjs";

const journey = await start({ height: 900, fullPage: true });
const { open, step } = journey;

/** How many pixels of a canvas have been drawn on. */
const painted = (locator) =>
  locator.evaluate((canvas) => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    let n = 0;
    for (let i = 3; i < data.length; i += 4) if (data[i] > 0) n++;
    return n;
  });

step("a run shows its figures, charts and tables", async () => {
  const p = await open("one.html");
  await p.settle("one");
  const titles = await p.page.locator(".grid h2").allInnerTexts();
  assert.deepEqual(titles, ["Latency by percentile", "Distribution of latency", "Rate", "Latency over time"]);
  for (let i = 0; i < titles.length; i++) {
    assert.ok((await painted(p.page.locator(".plot canvas").nth(i))) > 500, `${titles[i]} is empty`);
  }
  assert.match(await p.page.locator("header").innerText(), /GET http:\/\/127\.0\.0\.1:18080[\s\S]*64 connections/);
  assert.match(await p.page.locator(".summary").innerText(), /p99\s+9\.41ms/);
  assert.match(await p.page.locator(".summary").innerText(), /p99\.99\s+32\.37ms \?/);
  assert.match(await p.page.locator(".verdict").innerText(), /One reason to distrust these numbers[\s\S]*50000 answers[\s\S]*-d 20s/);
  await p.page.getByText("Rate as a table").click();
  assert.match(await p.page.locator("details[open]").innerText(), /1s\s+5000\/s/);
  await p.settle("one-table");
  await p.close();
});

step("a link has the part of a chart that is shown", async () => {
  const p = await open("one.html");
  const over = p.page.locator(".plot .u-over").nth(2); // the rate
  await over.scrollIntoViewIfNeeded();
  const whole = await p.page.locator(".plot canvas").nth(2).evaluate((c) => c.toDataURL());
  const box = await over.boundingBox();
  await p.page.mouse.move(box.x + box.width * 0.3, box.y + 50);
  await p.page.mouse.down();
  await p.page.mouse.move(box.x + box.width * 0.7, box.y + 60, { steps: 5 });
  await p.page.mouse.up();
  await p.settle();
  const hash = await p.page.evaluate(() => location.hash);
  assert.match(hash, /^#part3=[\d.]+~[\d.]+$/);
  const part = await p.page.locator(".plot canvas").nth(2).evaluate((c) => c.toDataURL());
  assert.notEqual(part, whole);
  await p.page.reload();
  await p.page.waitForSelector("main[data-ready]");
  await p.page.locator(".plot .u-over").nth(2).scrollIntoViewIfNeeded();
  await p.settle();
  assert.equal(await p.page.evaluate(() => location.hash), hash);
  assert.equal(await p.page.locator(".plot canvas").nth(2).evaluate((c) => c.toDataURL()), part);
  // A double click shows all again.
  await p.page.locator(".plot .u-over").nth(2).dblclick();
  await p.settle();
  assert.equal(await p.page.evaluate(() => location.hash), "");
  await p.close();
});

step("the keyboard reads a chart out", async () => {
  const p = await open("one.html");
  const plot = p.page.locator(".plot").first();
  await plot.focus();
  await p.page.keyboard.press("End");
  assert.match(await p.page.locator(".live").innerText(), /99\.99\d+%: latency 48\.2ms/);
  await p.page.keyboard.press("Home");
  assert.match(await p.page.locator(".live").innerText(), /^0%: latency/);
  await p.page.keyboard.press("ArrowRight");
  assert.match(await p.page.locator(".live").innerText(), /latency \d/);
  const name = await plot.getAttribute("aria-label");
  assert.match(name, /Latency by percentile/);
  await p.close();
});

step("failures are named", async () => {
  const p = await open("fail.html");
  await p.settle("fail");
  assert.match(await p.page.locator(".summary").innerText(), /503: 4999/);
  assert.match(await p.page.locator(".verdict").innerText(), /2 reasons to distrust these numbers/);
  await p.close();
});

step("without answers there are no charts, and no trouble", async () => {
  const p = await open("none.html");
  await p.settle("none");
  assert.equal(await p.page.locator(".plot").count(), 0);
  assert.match(await p.page.locator(".summary").innerText(), /connect: 5/);
  await p.close();
});

step("two runs lie over one another", async () => {
  const p = await open("two.html");
  await p.settle("two");
  assert.match(await p.page.locator(".u-legend").first().innerText(), /A latency[\s\S]*B latency/);
  assert.match(await p.page.locator("main").innerText(), /\+30% ±2%/);
  await p.close();
});

step("a part of a second is not drawn, and errors and statuses are", async () => {
  const p = await open("part.html");
  await p.settle("part");
  const text = await p.page.locator("main").innerText();
  assert.match(text, /The last 0\.[12]s are not a whole second, and not drawn/);
  const titles = await p.page.locator(".grid h2").allInnerTexts();
  assert.ok(titles.includes("Errors and status"), titles.join());
  await p.page.getByText("Rate as a table").click();
  // Ten whole seconds and the heading: the stall of the last part is not among them.
  assert.equal(await p.page.locator("details[open] tr").count(), 11);
  assert.doesNotMatch(await p.page.locator("details[open]").innerText(), /\b20\/s/);
  await p.page.getByText("Errors and status as a table").click();
  const table = p.page.locator("details[open]").last();
  assert.match(await table.innerText(), /before 200[\s\S]*before 503[\s\S]*before timeout/);
  assert.match(await table.innerText(), /1000\/s/);
  await p.close();
});

step("a search shows its knee", async () => {
  const p = await open("knee.html");
  await p.settle("knee");
  assert.match(await p.page.locator("main").innerText(), /highest rate that met the objective is 9200\/s/i);
  assert.ok((await painted(p.page.locator(".plot canvas").first())) > 500);
  await p.close();
});

step("an hour of seconds has a table that ends", async () => {
  const p = await open("long.html");
  await p.page.getByText("Rate as a table").click();
  assert.match(await p.page.locator("details[open] caption").innerText(), /240 of 3610 points/);
  await p.settle("long");
  await p.close();
});

journey.foreignNames();

journey.themeColors("one.html", ".plot canvas");

step("narrow, wide, light and dark", async () => {
  for (const name of ["one", "two", "knee", "fail", "hostile"]) {
    for (const width of [360, 1280, 2560]) {
      for (const colorScheme of ["light", "dark"]) {
        const p = await open(`${name}.html`, { viewport: { width, height: width < 500 ? 740 : Math.round(width / 1.8) }, colorScheme });
        await p.settle(`${name}-${width}-${colorScheme}`);
        const wide = await p.page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(wide <= width, `${name} is ${wide} px wide in a window of ${width}`);
        // Sections stand below one another, charts within their cards.
        const main = await p.page.locator("main").boundingBox();
        for (const card of await p.page.locator(".chart").evaluateAll((all) => all.map((c) => ({ card: c.getBoundingClientRect().width, plot: c.querySelector("canvas").getBoundingClientRect().width })))) {
          assert.ok(card.card > main.width * 0.4 && card.plot <= card.card, `a chart of ${name} is ${card.plot} px wide in a card of ${card.card}, the page ${main.width}`);
        }
        for (const box of await p.page.locator(".plot canvas").evaluateAll((all) => all.map((c) => c.getBoundingClientRect().height))) {
          assert.ok(box > 120, `a chart of ${name} is ${box} px high in a window ${width} px wide`);
        }
        await p.close();
      }
    }
  }
});

journey.accessible(["one.html", "two.html", "part.html", "fail.html", "knee.html"]);

await journey.walk();
