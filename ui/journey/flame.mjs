// Walks through flame graph pages as a reader would, in a real browser.
//
//   node journey/flame.mjs DIR [SHOTS]
//
// DIR holds pages that the Go test TestFlameJourney wrote; it runs this script
// (npm run journey runs the test). SHOTS, if given, is a folder for screenshots.
// Exit code 77 means: no browser here.
import { existsSync } from "node:fs";
import { join } from "node:path";
import assert from "node:assert/strict";
import { start } from "./browser.mjs";

const pause = 250;
const journey = await start({ height: 800, pause });

/** Opens a page, and asks it for what a flame graph knows of itself. */
async function open(name, options, hash) {
  const p = await journey.open(name, options, hash);
  return {
    ...p,
    stats: () =>
      p.page.evaluate(() => {
        const main = document.querySelector("main");
        main.dispatchEvent(new Event("whet:stats"));
        return { boxes: Number(main.dataset.boxes), ms: Number(main.dataset.ms), n: Number(main.dataset.n) };
      }),
    hash: () => p.page.evaluate(() => decodeURIComponent(location.hash)),
  };
}

/** Adds a step, which is skipped if DIR lacks the page that it opens first. */
function step(name, run) {
  const needs = /open\("(\w+\.html)"/.exec(String(run))[1];
  journey.step(name, run, existsSync(join(journey.dir, needs)) ? "" : `no ${needs}`);
}

step("a click zooms, Back comes back, a link reproduces", async () => {
  const p = await open("small.html");
  const box = await p.page.locator("canvas").boundingBox();
  // small.html: all > main.main > {main.work 60%, net/http.(*conn).serve 30%, …}
  await p.page.mouse.move(box.x + box.width * 0.2, box.y + 50);
  await p.settle("tooltip");
  assert.match(await p.page.locator(".tooltip").innerText(), /main\.work[\s\S]*own code[\s\S]*60%|main\.work[\s\S]*60\.00%/);
  await p.page.mouse.click(box.x + box.width * 0.2, box.y + 50);
  await p.settle("zoomed");
  assert.match(await p.page.locator(".crumbs").innerText(), /main\.work/);
  assert.match(await p.page.locator(".details").innerText(), /main\.work/);
  assert.match(await p.page.locator(".details").innerText(), /work\.go:12/);
  const link = await p.hash();
  assert.match(link, /zoom=\d+/);
  await p.page.getByRole("button", { name: "Back" }).click();
  await p.settle();
  assert.equal(await p.hash(), "");
  await p.close();
  const q = await open("small.html", {}, link);
  assert.match(await q.page.locator(".crumbs").innerText(), /main\.work/);
  await q.close();
});

step("the wheel zooms at the pointer", async () => {
  const p = await open("small.html");
  const box = await p.page.locator("canvas").boundingBox();
  await p.page.mouse.move(box.x + box.width * 0.1, box.y + 50);
  await p.page.keyboard.down("Control");
  await p.page.mouse.wheel(0, -600);
  await p.page.keyboard.up("Control");
  await p.settle();
  assert.match(await p.hash(), /x=[\d.e-]+-[\d.e-]+/);
  await p.page.keyboard.press("0");
  await p.settle();
  assert.equal(await p.hash(), "");
  await p.close();
});

step("search marks, counts and steps", async () => {
  const p = await open("small.html");
  await p.page.keyboard.press("/");
  await p.page.keyboard.type("mallocgc|nosuch");
  await p.settle("search");
  assert.match(await p.page.locator(".found").innerText(), /25(\.00)?%.*1 function/);
  await p.page.keyboard.press("Enter");
  await p.settle();
  assert.match(await p.page.locator(".status").innerText(), /runtime\.mallocgc/);
  await p.page.locator("input[type=search]").fill("(");
  assert.match(await p.page.locator(".found").innerText(), /literally/);
  await p.page.locator("input[type=search]").fill("kind:own");
  assert.match(await p.page.locator(".found").innerText(), /100%/);
  await p.page.locator("input[type=search]").fill("zzz");
  assert.match(await p.page.locator(".found").innerText(), /nothing/);
  await p.close();
});

step("the keyboard alone is enough", async () => {
  const p = await open("small.html");
  await p.page.locator("canvas").focus();
  const status = () => p.page.locator(".status").innerText();
  await p.page.keyboard.press("ArrowDown");
  assert.match(await status(), /^main\.main/);
  await p.page.keyboard.press("ArrowDown");
  assert.match(await status(), /^main\.work/);
  await p.page.keyboard.press("ArrowRight");
  assert.match(await status(), /^net\/http\.\(\*conn\)\.serve/);
  await p.page.keyboard.press("Enter");
  await p.settle("keyboard");
  assert.match(await p.page.locator(".crumbs").innerText(), /conn/);
  await p.page.keyboard.press("Escape");
  await p.page.keyboard.press("Escape");
  await p.settle();
  assert.match(await p.page.locator(".crumbs [aria-current]").innerText(), /main\.main/);
  await p.page.keyboard.press("c");
  await p.settle("sandwich");
  assert.match(await p.hash(), /focus=\d+/);
  await p.page.keyboard.press("f");
  await p.page.keyboard.press("i");
  await p.settle("bottom-up-flame");
  assert.match(await p.hash(), /view=up.*root=bottom/);
  await p.page.keyboard.press("?");
  assert.ok(await p.page.locator("dialog").isVisible());
  await p.settle("help");
  await p.close();
});

step("the table says what the graph shows", async () => {
  const p = await open("small.html");
  await p.page.getByRole("button", { name: "Table" }).click();
  await p.settle("table");
  const first = await p.page.locator(".listing tbody tr").first().innerText();
  assert.match(first, /main\.work/);
  await p.page.getByRole("button", { name: "Total" }).click();
  assert.match(await p.page.locator(".listing tbody tr").first().innerText(), /main\.main/);
  await p.page.getByRole("button", { name: "runtime.mallocgc" }).click();
  await p.settle();
  assert.match(await p.hash(), /focus=/);
  await p.close();
});

step("sample types switch and keep the frame", async () => {
  const p = await open("small.html");
  const box = await p.page.locator("canvas").boundingBox();
  await p.page.mouse.click(box.x + box.width * 0.2, box.y + 50);
  await p.page.locator("select[aria-label='Sample type']").selectOption("alloc_space");
  await p.settle();
  assert.match(await p.page.locator(".crumbs").innerText(), /main\.work/);
  assert.match(await p.hash(), /type=alloc_space/);
  await p.page.locator("select[aria-label='Color by']").selectOption("package");
  await p.settle("by-package");
  await p.close();
});

step("a difference is red and blue", async () => {
  const p = await open("diff.html");
  await p.settle("diff");
  assert.match(await p.page.locator(".legend").innerText(), /more than the base/);
  await p.close();
  const q = await open("diff.html", { colorScheme: "dark" });
  await q.settle("diff-dark");
  await q.close();
});

step("foreign names are text", async () => {
  const p = await open("hostile.html");
  await p.settle("hostile");
  assert.equal(await p.page.evaluate(() => document.querySelectorAll("img, iframe, b").length), 0);
  assert.equal(await p.page.evaluate(() => window.pwned), undefined);
  await p.page.getByRole("button", { name: "Table" }).click();
  const text = await p.page.locator(".listing").innerText();
  assert.ok(text.includes("</script><script>window.pwned=1</script>"));
  assert.ok(text.includes("\\xff"), "invalid UTF-8 is escaped");
  assert.ok(text.includes("\\u202e"), "direction overrides are escaped");
  await p.close();
});

step("sixty thousand boxes draw at once", async () => {
  const p = await open("large.html", { viewport: { width: 1920, height: 1080 } });
  await p.settle("large");
  const box = await p.page.locator("canvas").boundingBox();
  const times = [];
  for (let i = 0; i < 10; i++) {
    await p.page.mouse.move(box.x + 100 + i * 150, box.y + 45 + i * 20);
    await p.page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    times.push((await p.stats()).ms);
  }
  const s = await p.stats();
  times.sort((a, b) => a - b);
  console.log(`  ${s.n} boxes in the tree, ${s.boxes} drawn in ${times[5]} ms (median of ten, software rendering)`);
  assert.ok(s.n > 50_000);
  // Each of them is drawn ten times as fast on an idle machine.
  assert.ok(times[0] < 250, `drawing took ${times[0]} ms`);
  const began = Date.now();
  await p.page.keyboard.press("i");
  await p.settle("large-bottom-up");
  console.log(`  turned upside down in ${Date.now() - began - pause} ms`);
  await p.close();
});

step("a stack of fifty thousand calls is survived", async () => {
  const p = await open("deep.html");
  await p.settle("deep");
  await p.page.keyboard.press("i");
  await p.settle();
  await p.page.keyboard.press("t");
  await p.settle();
  await p.close();
});

step("narrow, wide, light and dark", async () => {
  for (const width of [360, 1280, 2560]) {
    for (const colorScheme of ["light", "dark"]) {
      const p = await open("real.html", { viewport: { width, height: width < 500 ? 740 : Math.round(width / 1.8) }, colorScheme });
      await p.settle(`real-${width}-${colorScheme}`);
      const wide = await p.page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(wide <= width, `page is ${wide} px wide in a window of ${width}`);
      const box = await p.page.locator("canvas").boundingBox();
      assert.ok(box.height > 150, `graph is ${box.height} px high in a window ${width} px wide`);
      await p.page.mouse.click(box.x + box.width * 0.2, box.y + 90);
      await p.settle(`real-${width}-${colorScheme}-zoomed`);
      const wider = await p.page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(wider <= width, `zoomed page is ${wider} px wide in a window of ${width}`);
      await p.close();
    }
  }
});

await journey.walk();
