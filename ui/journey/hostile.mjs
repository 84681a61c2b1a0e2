// Walks through pages whose names somebody chose to do harm: nothing of them runs, and nothing leaves its box.
//
//   node journey/hostile.mjs DIR [SHOTS]
//
// DIR holds the pages, from the Go test TestHostileJourney; it runs this script. SHOTS, if given, is a folder
// for screenshots. Exit code 77 means: no browser here.
import assert from "node:assert/strict";
import { harmless, start } from "./browser.mjs";

const journey = await start({ height: 800, pause: 100 });
const { step } = journey;

for (const name of ["functions", "tasks"]) {
  for (const width of [1280, 400]) {
    step(`timeline, ${name}, ${width} px: zoom, search, details`, async () => {
      const p = await journey.open(`${name}.html`, { viewport: { width, height: 800 } });
      await p.settle(`${name}-${width}`);
      const { scripts } = await harmless(p, "at first");
      const canvas = p.page.locator(".lanes canvas");
      const hash = () => p.page.evaluate(() => location.hash);
      let opened = 0;
      let tried = 0;
      for (const id of await p.page.locator(".name").evaluateAll((all) => all.map((n) => n.dataset.id))) {
        const row = p.page.locator(`.name[data-id="${id}"]`);
        if ((await row.count()) === 0) continue;
        // Rows are made anew while answers come.
        await row.evaluate((e) => e.scrollIntoView({ block: "center" }), null, { timeout: 5000 });
        const at = await row.boundingBox();
        if (!at) continue;
        const all = await canvas.boundingBox();
        for (const share of [0.1, 0.9]) {
          const left = width > 800 ? at.x + at.width : all.x; // names lie upon lanes that are narrow
          const x = left + (all.x + all.width - left) * share;
          await p.page.mouse.move(x, at.y + at.height / 2);
          await p.page.mouse.down();
          await p.page.mouse.up();
          await p.settle();
          await harmless(p, `a click on ${id}`);
          if (await p.page.locator(".details").isVisible()) {
            opened++;
            const links = p.page.locator(".details button.link");
            if ((await links.count()) > 0) await links.first().click();
            await p.settle();
            await harmless(p, `a link in the details of ${id}`);
            await p.page.keyboard.press("Escape");
          }
        }
        if (opened > 3 || ++tried > 12) break;
      }
      assert.ok(opened > 0 || width < 800, "no click shows details");
      const search = p.page.locator('input[type="search"]').first();
      await search.fill("pwned");
      await p.settle(`${name}-${width}-searched`);
      await harmless(p, "a search");
      await search.fill("");
      await p.settle();
      await p.page.keyboard.press("Escape");
      await p.page.keyboard.press("0");
      await p.settle();
      if (name === "tasks") { // the other is of some nanoseconds
        const before = await hash();
        await p.page.locator("canvas.axis").hover();
        await p.page.mouse.wheel(0, -600);
        await p.page.waitForFunction((was) => location.hash !== was, before);
      }
      await p.page.keyboard.press("?");
      await p.settle();
      assert.equal((await harmless(p, "zoomed, with help")).scripts, scripts);
      await p.close();
    });
  }
}

for (const name of ["find", "fix"]) {
  for (const width of [1280, 400]) {
    step(`${name}, ${width} px: all that opens is opened`, async () => {
      const p = await journey.open(`${name}.html`, { viewport: { width, height: 800 }, ready: "h1" });
      await p.settle(`${name}-${width}`);
      assert.equal((await harmless(p, "at first")).scripts, 0);
      for (const summary of await p.page.locator("summary").all()) await summary.click();
      for (const link of await p.page.locator("a[href]").all()) {
        assert.match(await link.getAttribute("href"), /^#/, "a link leaves the page");
        if (await link.isVisible()) await link.evaluate((a) => a.click());
      }
      const text = (await harmless(p, "opened")).text;
      assert.ok(text.includes("<script>window.pwned=1</script>"), "a name is not shown as it is");
      await p.close();
    });
  }
}

await journey.walk();
