// Measures how fast pages are, in a real browser.
//
//   node journey/measure.mjs PLAN
//
// PLAN is a JSON file from the Go benchmark BenchmarkUI of internal/peers, which runs this script:
// addresses, how often each is opened, and after how many milliseconds a page is given up. The figures are printed as JSON, times in milliseconds.
import { existsSync, readFileSync } from "node:fs";
import { chromium } from "playwright-core";

const executablePath = process.env.WHET_CHROMIUM ?? "/usr/bin/chromium";
if (!existsSync(executablePath)) process.exit(77);
const plan = JSON.parse(readFileSync(process.argv[2], "utf8"));
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });

const quantile = (all, q) => {
  const sorted = [...all].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))];
};
const median = (all) => quantile(all, 0.5);

/** Opens an address until something holds in the page, and two frames are drawn. */
async function opened(address, ready) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  page.setDefaultTimeout(plan.limit);
  const start = performance.now();
  await page.goto(address, { waitUntil: "commit", timeout: plan.limit });
  await page.waitForFunction(ready, null, { polling: 10 });
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  return { page, context, took: performance.now() - start };
}

/** The times between frames while an element gets wheel events, one for each frame. */
async function frames(page, selector, wheels) {
  return page.evaluate(
    async ([selector, wheels]) => {
      const el = document.querySelector(selector);
      const box = el.getBoundingClientRect();
      const frame = () => new Promise((done) => requestAnimationFrame(done));
      const times = [];
      await frame();
      for (const w of wheels) {
        const at = { clientX: box.x + box.width * 0.4, clientY: box.y + Math.min(box.height, 600) * 0.3 };
        el.dispatchEvent(new WheelEvent("wheel", { bubbles: true, cancelable: true, ...at, ...w }));
        const before = await frame();
        times.push((await frame()) - before);
      }
      return times;
    },
    [selector, wheels],
  );
}

/** The memory of the largest process of a page: what it alone has, and its share of what it shares; 0 if unknown. */
async function memory() {
  const cdp = await browser.newBrowserCDPSession();
  const { processInfo } = await cdp.send("SystemInfo.getProcessInfo");
  const sizes = processInfo
    .filter((p) => p.type === "renderer" && existsSync(`/proc/${p.id}/smaps_rollup`)) // only Linux has it
    .map((p) => 1024 * Number(/^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${p.id}/smaps_rollup`, "utf8"))?.[1] ?? 0));
  return Math.max(0, ...sizes);
}

/** The time from a deed until two frames after the last answer with spans; the page asks for them within 150 ms. */
async function answered(page, deed) {
  const start = performance.now();
  let [pending, last] = [0, start];
  const frame = () => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  const asked = (r) => r.url().includes("/spans") && pending++;
  const ended = (r) => {
    if (!r.url().includes("/spans")) return;
    pending--;
    last = performance.now();
  };
  page.on("request", asked).on("requestfinished", ended).on("requestfailed", ended);
  await deed();
  await frame();
  let drawn = performance.now();
  while (pending > 0 || performance.now() - Math.max(last, drawn) < 150) {
    await page.waitForTimeout(5);
    if (pending > 0 || last < drawn) continue;
    await frame();
    drawn = performance.now();
  }
  page.off("request", asked).off("requestfinished", ended).off("requestfailed", ended);
  return drawn - start;
}

const repeated = (n, w) => Array.from({ length: n }, () => w);
/** Zooms in, moves, and zooms out. */
const tour = [
  ...repeated(40, { deltaY: -60, ctrlKey: true }),
  ...repeated(30, { deltaX: 30, deltaY: 0 }),
  ...repeated(40, { deltaY: 60, ctrlKey: true }),
];

/** How a program's page shows that its flame graph is drawn, and its canvas, if the wheel zooms it. */
const programs = {
  whet: [() => Number(document.querySelector(".flame-host")?.dataset.boxes ?? 0) > 1, ".flame-host .graph canvas"],
  pprof: [() => document.querySelectorAll(".boxtext").length > 1, null],
  speedscope: [
    () => {
      const canvas = document.querySelector("canvas");
      return canvas && canvas.width > 300 && !document.body.innerText.includes("Loading");
    },
    "canvas",
  ],
};

/**
 * Opens a page several times: the first time apart, the median of the others, and frames of all. why is what ended it
 * early: "late" or "crashed".
 */
async function flame({ program, address }) {
  const [ready, canvas] = programs[program];
  const times = [];
  let [between, why] = [[], ""];
  for (let i = 0; i < plan.rounds; i++) {
    try {
      const { page, context, took } = await opened(address, ready);
      times.push(took);
      if (canvas) between = between.concat(await frames(page, canvas, tour));
      await context.close();
    } catch (err) {
      if (err.name !== "TimeoutError" && !/crashed/.test(err.message)) throw err;
      why = err.name === "TimeoutError" ? "late" : "crashed";
      if (why === "crashed" && times.length === 1) times.pop(); // it was not the picture that was drawn
      for (const context of browser.contexts()) await context.close();
      break;
    }
  }
  return {
    why,
    first: times[0] ?? null,
    again: times.length > 1 ? median(times.slice(1)) : null,
    p95: between.length > 0 ? quantile(between, 0.95) : null,
  };
}

const out = { flames: [] };
if (plan.overview) {
  const clicks = [];
  for (let i = 0; i < plan.rounds; i++) {
    const { page, context } = await opened(plan.overview, () => document.querySelector(".tabs a[href*=flame]") !== null);
    await page.waitForLoadState("networkidle");
    const start = performance.now();
    await page.locator(".tabs a[href*=flame]").click();
    await page.waitForFunction(programs.whet[0], null, { polling: 10 });
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    clicks.push(performance.now() - start);
    await context.close();
  }
  out.click = median(clicks);
}
if (plan.paint) {
  const [paints, whole] = [[], []];
  for (let i = 0; i < plan.rounds + 2; i++) {
    const { page, context, took } = await opened(plan.paint, () => document.querySelector(".costs .cost") !== null);
    whole.push(took);
    paints.push(await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0].startTime));
    await context.close();
  }
  out.paint = median(paints);
  out.whole = median(whole);
}
if (plan.timeline) {
  const drawn = () => document.querySelectorAll(".lanes .name").length > 0;
  const { page, context } = await opened(plan.timeline, drawn); // has it indexed
  await page.waitForLoadState("networkidle");
  await context.close();
  const first = await opened(plan.timeline, drawn);
  const zooms = [];
  const lanes = first.page.locator(".lanes canvas");
  await first.page.waitForLoadState("networkidle");
  await lanes.focus();
  for (let i = 0; i < 24; i++) zooms.push(await answered(first.page, () => first.page.keyboard.press(i < 12 ? "w" : "s")));
  await first.page.keyboard.press("0");
  const all = first.page.locator("[data-type=goroutine] button", { hasText: /^all$/ });
  await all.click();
  await first.page.waitForFunction(() => document.querySelector(".lanes").scrollHeight > 1_000_000);
  const scrolled = await first.page.evaluate(async () => {
    const el = document.querySelector(".lanes");
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    const times = [];
    let last = await frame();
    for (let i = 0; i < 240; i++) {
      el.scrollTop += i < 120 ? 200 : 8000;
      const now = await frame();
      times.push(now - last);
      last = now;
    }
    return times;
  });
  await first.page.waitForFunction(() => {
    const { top, bottom } = document.querySelector(".lanes").getBoundingClientRect();
    return [...document.querySelectorAll(".lanes .name")].some((n) => {
      const box = n.getBoundingClientRect();
      return box.top > top && box.bottom < bottom;
    });
  });
  out.timeline = {
    first: first.took,
    zoom: median(zooms),
    zoom95: quantile(zooms, 0.95),
    scroll95: quantile(scrolled, 0.95),
    memory: await memory(),
  };
  await first.context.close();
}
// Last, because what a page that was given up has begun may go on for a while.
for (const one of plan.flames) out.flames.push(await flame(one));
await browser.close();
console.log(JSON.stringify(out));
