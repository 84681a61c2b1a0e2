// Walks through pages of compared benchmarks as a reader would, in a real browser.
//
//   node journey/bench.mjs DIR [SHOTS]
//
// DIR holds pages that the Go test TestBenchJourney wrote; it runs this script
// (npm run journey runs the test). SHOTS, if given, is a folder for screenshots.
// Exit code 77 means: no browser here.
import assert from "node:assert/strict";
import { start } from "./browser.mjs";

const journey = await start({ height: 900, pause: 60, fullPage: false });
const { open, step } = journey;

/** How many pixels of a canvas have been drawn on. */
const painted = (locator) =>
  locator.evaluate((canvas) => {
    if (canvas.width === 0) return 0;
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    let n = 0;
    for (let i = 3; i < data.length; i += 4) if (data[i] > 0) n++;
    return n;
  });
const names = (p) => p.page.locator(".benchmark h3").evaluateAll((all) => all.map((e) => e.firstChild.textContent));

step("two benchmarks show their figures and strips", async () => {
  const p = await open("two.html");
  await p.settle("two");
  assert.match(await p.page.locator("header").innerText(), /Benchmarks: new against old/);
  assert.deepEqual(await p.page.locator("section > h2").allInnerTexts(), ["sec/op", "B/op", "B/s"]);
  assert.equal(await p.page.locator(".benchmark").count(), 6);
  for (let i = 0; i < 3; i++) assert.ok((await painted(p.page.locator(".picture canvas").nth(i))) > 400);
  assert.match(await p.page.locator(".benchmark").first().innerText(), /size=0-8[\s\S]*worse[\s\S]*old[\s\S]*new[\s\S]*\+\d/);
  assert.match(await p.page.locator("section[aria-label=Summary]").innerText(), /sec\/op\s+2\s+1[\s\S]*old 3\d\.\d+n[\s\S]*new/);
  // Lines of the figures and lanes of the drawing are level.
  const level = await p.page.locator(".benchmark").first().evaluate((card) => {
    const rows = [...card.querySelectorAll("tbody tr")].map((r) => r.getBoundingClientRect());
    const top = card.querySelector("canvas").getBoundingClientRect().top;
    return rows.map((r) => [r.top - top, r.height]);
  });
  level.forEach(([top, height], i) => assert.ok(Math.abs(top - 28 * i) < 2 && Math.abs(height - 28) < 1, JSON.stringify(level)));
  await p.close();
});

step("a sentence at the top says what came out", async () => {
  for (const [name, wanted] of [
    ["two", /^new against old, sec\/op: worse\. 1 of 2 benchmarks got worse, by up to [\d.]+%; none got better/],
    ["lone", /too few measurements for a verdict: 1 run; 4 or more of each side can show a difference/],
    ["ab", /^B against A, sec\/op: /],
  ]) {
    const p = await open(`${name}.html`);
    const headline = p.page.locator(".headline p").first();
    assert.match(await headline.innerText(), wanted);
    const top = await headline.boundingBox();
    assert.ok(top.y < 220, `it is ${top.y} px down`);
    assert.doesNotMatch(await p.page.locator("main").innerText(), /∞|±\?/);
    await p.close();
  }
});

step("on a phone, the figures of a benchmark fit", async () => {
  for (const name of ["two.html", "lone.html", "ab.html", "six.html"]) {
    const p = await open(name, { viewport: { width: 360, height: 740 } });
    await p.settle();
    const cut = await p.page.locator(".lane-table").evaluateAll((all) =>
      all.filter((t) => t.getBoundingClientRect().right > innerWidth).map((t) => t.innerText),
    );
    assert.deepEqual(cut, [], name);
    await p.close();
  }
});

step("two hundred are filtered, ordered and reproduced by a link", async () => {
  const p = await open("many.html");
  await p.settle("many");
  assert.equal(await p.page.locator(".benchmark").count(), 600);
  const verdicts = await p.page.locator("section").filter({ has: p.page.locator("h2", { hasText: /^sec\/op$/ }) }).locator(".benchmark").evaluateAll((all) => all.map((e) => e.className));
  const last = verdicts.findLastIndex((c) => /worse|better/.test(c));
  assert.ok(last > 20 && verdicts.slice(0, last + 1).every((c) => /worse|better/.test(c)), "changes come first");
  // Of what is far below, nothing is drawn.
  assert.equal(await painted(p.page.locator(".picture canvas").nth(500)), 0);
  await p.page.getByRole("searchbox").fill("size=1 json");
  const found = await names(p);
  assert.ok(found.length > 100 && found.every((n) => n.includes("size=1")));
  await p.page.getByLabel("Unit").selectOption("sec/op");
  await p.page.getByLabel("Order").selectOption("name");
  const some = await names(p);
  assert.deepEqual(some, [...some].sort());
  await p.page.getByRole("button", { name: "Worse" }).click();
  const worse = await names(p);
  assert.ok(worse.length > 5 && worse.length < some.length);
  assert.match(await p.page.locator("[role=status]").innerText(), new RegExp(`^${worse.length} of 200`));
  const hash = await p.page.evaluate(() => location.hash);
  await p.settle("many-filtered");
  await p.close();
  const again = await open("many.html", {}, hash);
  assert.deepEqual(await names(again), worse);
  assert.equal(await again.page.getByRole("searchbox").inputValue(), "size=1 json");
  await again.page.getByRole("searchbox").fill("nothing like that");
  assert.match(await again.page.locator(".lists").innerText(), /No matching benchmark/);
  await again.close();
});

step("the keyboard goes through benchmarks and their points", async () => {
  const p = await open("two.html");
  await p.page.keyboard.press("/");
  assert.equal(await p.page.evaluate(() => document.activeElement.type), "search");
  const first = p.page.locator(".picture").first();
  await first.focus();
  await p.page.keyboard.press("ArrowRight");
  assert.match(await p.page.locator(".live").innerText(), /old: median .*n sec\/op, 95% confidence interval/);
  await p.page.keyboard.press("ArrowRight");
  const least = await p.page.locator(".live").innerText();
  assert.match(least, /old: [\d.]+n sec\/op, \d+ of 10/);
  assert.ok(await p.page.locator(".tooltip").isVisible());
  await p.settle("keyboard");
  await p.page.keyboard.press("ArrowDown");
  assert.match(await p.page.evaluate(() => document.activeElement.getAttribute("aria-label")), /size=1-8, measurements/);
  await p.page.keyboard.press("End");
  await p.page.keyboard.press("Home");
  assert.match(await p.page.evaluate(() => document.activeElement.getAttribute("aria-label")), /size=0-8, measurements. old median/);
  assert.equal(await p.page.locator('.picture[tabindex="0"]').count(), 1);
  await p.close();
});

step("there is a table of all figures", async () => {
  const p = await open("six.html");
  await p.page.getByText("sec/op as a table").click();
  const table = p.page.locator("details[open] table");
  assert.match(await table.locator("caption").innerText(), /12 of 12 benchmarks/);
  assert.equal(await table.locator("tbody tr").count(), 12);
  assert.match(await table.locator("tbody tr").first().innerText(), /n\t±\d+%\t10\t.*better/);
  await p.settle("six-table");
  await p.close();
});

step("a pointer is told what lies under it", async () => {
  const p = await open("thousand.html");
  const box = await p.page.locator(".picture").first().boundingBox();
  for (let i = 0; i < 40 && !(await p.page.locator(".tooltip").isVisible()); i++) await p.page.mouse.move(box.x + (box.width * i) / 40, box.y + 14);
  assert.match(await p.page.locator(".tooltip").innerText(), /old: /);
  await p.settle("thousand");
  await p.close();
});

step("one column, and one measurement, are enough", async () => {
  for (const name of ["single", "lone"]) {
    const p = await open(`${name}.html`);
    await p.settle(name);
    assert.ok((await painted(p.page.locator(".picture canvas").first())) > 200);
    await p.close();
  }
});

step("two builds show both sides and the ratios of their pairs", async () => {
  const p = await open("ab.html");
  await p.settle("ab");
  assert.match(await p.page.locator("header").innerText(), /the working tree against main/);
  const drifts = p.page.locator(".benchmark", { hasText: "Drifts" }).first();
  await drifts.scrollIntoViewIfNeeded();
  await p.settle("ab-drift");
  assert.match(await drifts.innerText(), /noise[\s\S]*Ratio of each pair of rounds[\s\S]*\+2\.00%, between/);
  assert.equal(await drifts.locator(".picture").count(), 2);
  assert.ok((await painted(drifts.locator(".picture canvas").nth(1))) > 1000);
  await drifts.locator(".picture").nth(1).focus();
  await p.page.keyboard.press("ArrowRight");
  assert.match(await p.page.locator(".live").innerText(), /^pair 1 of 400: [+-]/);
  assert.match(await p.page.locator(".benchmark", { hasText: "Same" }).first().innerText(), /same within 1%/);
  await p.close();
});

journey.foreignNames();

journey.themeColors("two.html", ".picture canvas");

step("narrow, wide, light and dark", async () => {
  for (const name of ["two", "six", "hostile", "ab"]) {
    for (const width of [360, 2560]) {
      for (const colorScheme of ["light", "dark"]) {
        const p = await open(`${name}.html`, { viewport: { width, height: width < 500 ? 740 : 1400 }, colorScheme });
        await p.settle(`${name}-${width}-${colorScheme}`);
        const wide = await p.page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(wide <= width, `${name} is ${wide} px wide in a window of ${width}`);
        for (const w of await p.page.locator(".picture").evaluateAll((all) => all.slice(0, 4).map((c) => c.getBoundingClientRect().width))) {
          assert.ok(w > 240, `a strip of ${name} is ${w} px wide in a window of ${width}`);
        }
        await p.close();
      }
    }
  }
});

journey.accessible(["two.html", "lone.html", "ab.html", "six.html"]);

await journey.walk();
