// What the journeys share: a browser, pages in it that may not misbehave, and steps.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import assert from "node:assert/strict";

/** How long to wait for what has to come, in milliseconds. A busy machine needs long. */
const patience = 120_000;

/**
 * What axe finds in a page: rules of WCAG 2.2 up to AA and of best practice, and those of them that it does not run by
 * itself, which are about texts of controls and the sizes of what is clicked.
 */
export async function violations(page) {
  const cdp = await page.context().newCDPSession(page);
  const { result } = await cdp.send("Runtime.evaluate", { expression: "typeof axe" });
  if (result.value === "undefined") await cdp.send("Runtime.evaluate", { expression: axe() }); // no policy lets pages do this
  await cdp.detach();
  return page.evaluate(async () => {
    const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
    const rules = Object.fromEntries(["label-content-name-mismatch", "target-size"].map((id) => [id, { enabled: true }]));
    const found = await globalThis.axe.run(document, { runOnly: tags, rules });
    return found.violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.target.join(" ")).join(", ")}`);
  });
}

/** The script of axe. */
const axe = () => readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Reports whether something with a name is in the part of WHET_PART, such as 2/3, as Go's provetest.InPart does. */
function inPart(name) {
  const [part, of] = (process.env.WHET_PART || "1/1").split("/").map(Number);
  if (!(part >= 1 && part <= of)) throw new Error(`WHET_PART=${process.env.WHET_PART}, want a part such as 2/3`);
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(name)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash % of === part - 1;
}

/** The windows in which every view is shown. */
const windows = [
  [360, 740],
  [390, 844],
  [1280, 800],
  [2560, 1440],
];

/** How often a step is tried. */
const tries = 4;

/** How long a try of a step may take, in milliseconds: what hangs is tried again in another browser. */
const stepLimit = 360_000;

/** What a promise comes to, or a failure when it takes longer than ms milliseconds. */
async function within(ms, what, promise) {
  let timer;
  const late = new Promise((_, fail) => (timer = setTimeout(() => fail(new Error(`${what} took more than ${ms / 1000} s`)), ms)));
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Starts a browser for the journey that node was called with, as in
 *
 *   node journey/NAME.mjs DIR [SHOTS]
 *
 * DIR holds the pages. SHOTS, if given, is a folder for screenshots. Ends the
 * process with code 2 without DIR, and with 77 when there is no browser here.
 *
 * height is that of a window, in pixels, unless open is told otherwise; pause is how
 * many milliseconds an animation takes; fullPage has screenshots show what lies below
 * the window, too.
 */
export async function start({ height, pause = 0, fullPage = false }) {
  const browserPath = process.env.WHET_CHROMIUM ?? "/usr/bin/chromium";
  const [script, dir, shots] = process.argv.slice(1);
  if (!dir) {
    console.error(`usage: node journey/${basename(script)} DIR [SHOTS]`);
    process.exit(2);
  }
  if (!existsSync(browserPath)) {
    console.error(`skipped: no Chromium at ${browserPath} (apt-get install chromium, or set WHET_CHROMIUM)`);
    process.exit(77);
  }
  const { chromium } = await import("playwright-core");
  if (shots) mkdirSync(shots, { recursive: true });

  const launch = () =>
    chromium.launch({
      executablePath: browserPath,
      args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"],
      timeout: patience,
    });
  let browser = await launch();
  const steps = [];
  let slower = 1;

  return {
    dir,

    /** Keeps a file that a page saved with the screenshots, if there are any. */
    keep(name, data) {
      if (shots) writeFileSync(join(shots, name), data);
    },

    /**
     * Opens a page of DIR, or of a server when name is an address; any request but to that server, error or
     * refused content fails the journey when the page is closed. ready is what a page has that is drawn.
     */
    async open(name, { ready = "main[data-ready]", ...options } = {}, hash = "") {
      const context = await browser.newContext({ viewport: { width: 1280, height }, ...options });
      context.setDefaultTimeout(patience);
      const page = await context.newPage();
      const trouble = [];
      const served = name.startsWith("http:");
      const url = served ? name : pathToFileURL(resolve(dir, name)).href;
      page.on("request", (r) => {
        if (served ? new URL(r.url()).origin !== new URL(url).origin : r.url().split("#")[0] !== url) trouble.push(`request for ${r.url()}`);
      });
      page.on("pageerror", (e) => trouble.push(String(e)));
      page.on("console", (m) => {
        if (m.type() !== "verbose") trouble.push(`${m.type()}: ${m.text()}`); // those are the browser's own hints
      });
      page.on("dialog", (d) => trouble.push(`dialog ${d.message()}`));
      await page.goto(url + hash);
      await page.waitForSelector(ready);
      return {
        page,
        /** Lets drawing and animation finish, and takes a picture if given a name for it. */
        async settle(shot) {
          await page.evaluate(
            (ms) => new Promise((done) => setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(done)), ms)),
            pause * slower,
          );
          if (shots && shot) await page.screenshot({ path: join(shots, `${shot}.png`), fullPage });
        },
        /** Fails where axe finds what some readers cannot use. */
        async accessible() {
          assert.deepEqual(await violations(page), [], `${name}, ${page.viewportSize().width} px`);
        },
        /** expected, if given, matches what the console may show, such as answers that the page explains. */
        async close(expected = null) {
          await context.close();
          assert.deepEqual(expected ? trouble.filter((text) => !expected.test(text)) : trouble, [], name);
        },
      };
    },

    /** Adds the step that pages are usable by all, on phones and wide screens, in both themes. */
    accessible(names, options = {}) {
      this.step("axe finds nothing", async () => {
        for (const name of names)
          for (const [width, colorScheme] of [
            [390, "light"],
            [390, "dark"],
            [1280, "light"],
            [1280, "dark"],
            [2560, "light"],
            [2560, "dark"],
          ]) {
            const p = await this.open(name, { viewport: { width, height: 844 }, colorScheme, ...options });
            await p.settle(`${basename(name, ".html").replace(/\W+/g, "-")}-${width}-${colorScheme}`);
            await p.accessible();
            const wide = await p.page.evaluate(() => document.documentElement.scrollWidth);
            assert.ok(wide <= width, `${name} is ${wide} px wide in a window of ${width}`);
            await p.close();
          }
      });
    },

    /** Adds the step that names in hostile.html, which others chose, are shown as text. */
    foreignNames() {
      this.step("foreign names are text", async () => {
        const p = await this.open("hostile.html");
        await p.settle("hostile");
        assert.equal(await p.page.evaluate(() => document.querySelectorAll("img, iframe, b").length), 0);
        assert.equal(await p.page.evaluate(() => window.pwned), undefined);
        const text = await p.page.locator("main").innerText();
        assert.ok(text.includes("</script><script>window.pwned=1</script>"));
        assert.ok(!/[\u001b\u202e]/.test(text));
        await p.close();
      });
    },

    /** Adds the step that a page's theme changes the colors of the canvas that selector finds first. */
    themeColors(name, selector) {
      this.step("the theme changes colors of canvases too", async () => {
        const p = await this.open(name, { colorScheme: "light" });
        const picture = () => p.page.locator(selector).first().evaluate((c) => c.toDataURL());
        await p.settle();
        const before = await picture();
        for (let i = 0; i < 2; i++) await p.page.getByRole("button", { name: /Colors/ }).click();
        await p.settle();
        assert.equal(await p.page.evaluate(() => document.documentElement.dataset.theme), "dark");
        assert.notEqual(await picture(), before);
        await p.close();
      });
    },

    /** Shows a page that is open in all sizes and themes, and checks each with accessible, the journey's. */
    async everySize(p, name, accessible) {
      for (const [width, height] of windows)
        for (const colorScheme of ["light", "dark"]) {
          await p.page.setViewportSize({ width, height });
          await p.page.emulateMedia({ colorScheme });
          await p.settle(`${name}-${width}-${colorScheme}`);
          await accessible(p);
        }
    },

    /**
     * Adds a step for each view, which has a path and what is there when it is ready: it is shown in all sizes, themes
     * and languages. open and accessible are the journey's. WHET_PART, such as 2/3, names the part of these steps to take.
     */
    inAllSizes(views, open, accessible) {
      for (const [name, [path, ready]] of Object.entries(views)) {
        const all = async () => {
          for (const [width, height] of windows) {
            for (const colorScheme of ["light", "dark"]) {
              const p = await open(path, ready, { viewport: { width, height }, colorScheme });
              await p.page.waitForLoadState("networkidle");
              await p.settle(`${name}-${width}-${colorScheme}`);
              await accessible(p);
              await p.close();
            }
          }
          for (const locale of ["ru", "zh"]) {
            const p = await open(path, ready, { locale, viewport: { width: 390, height: 844 } });
            await p.settle(`${name}-${locale}`);
            await accessible(p);
            assert.equal(await p.page.evaluate(() => document.documentElement.lang), locale);
            await p.close();
          }
        };
        this.step(`${name} in all sizes, themes and languages`, all, inPart(name) ? "" : "in another part");
      }
    },

    /** Adds a step, which fails by throwing. A reason to skip it, if there is one, is printed instead. */
    step(name, run, skip = "") {
      steps.push({ name, run, skip });
    },

    /**
     * Takes the steps in order, and ends the process: with code 1 if any failed, else with 0. What a page shows after
     * a pause depends on how busy the machine is, so a step that fails is tried again with longer pauses.
     * WHET_STEPS, a regular expression, names the steps to take; without it, all are.
     */
    async walk() {
      let failed = 0;
      const wanted = new RegExp(process.env.WHET_STEPS ?? "");
      for (const { name, run, skip } of steps.filter((s) => wanted.test(s.name))) {
        if (skip) {
          console.log(`- ${name}: skipped, ${skip}`);
          continue;
        }
        for (let n = 1; ; n++) {
          slower = 4 ** (n - 1);
          try {
            await within(stepLimit, "a try of the step", run());
            console.log(`✓ ${name}`);
            break;
          } catch (e) {
            console.log(`✗ ${name}, try ${n} of ${tries}\n${e.stack}`);
            if (n === tries) {
              failed++;
              break;
            }
          }
          // The pages of the failed try go with their browser. One that hangs is left to the end of the process.
          await within(patience, "closing a browser", browser.close()).catch((e) => console.log(e.message));
          browser = await launch();
        }
      }
      await within(patience, "closing a browser", browser.close()).catch((e) => console.log(e.message));
      process.exit(failed ? 1 : 0);
    },
  };
}

/** What a name has done to a page: nothing. */
export async function harmless(p, what) {
  const found = await p.page.evaluate(() => ({
    pwned: window.pwned,
    elements: document.querySelectorAll("img, iframe, object, [onerror], [onload]").length,
    links: [...document.querySelectorAll("a[href]")].filter((a) => /^\s*(javascript|data):/i.test(a.getAttribute("href"))).length,
    scripts: document.querySelectorAll("script").length,
    high: document.querySelector("header")?.getBoundingClientRect().bottom ?? 0,
    text: document.documentElement.innerText,
    wide: document.documentElement.scrollWidth,
    window: window.innerWidth,
    outside: [...document.querySelectorAll(".details, .tooltip, .name, header")]
      .filter((e) => e.offsetParent && (e.getBoundingClientRect().right > window.innerWidth + 1 || e.getBoundingClientRect().left < -1))
      .map((e) => `${e.className || e.tagName} ends at ${e.getBoundingClientRect().right}`),
  }));
  assert.equal(found.pwned, undefined, `${what}: a name runs`);
  assert.equal(found.elements + found.links, 0, `${what}: a name is markup`);
  // eslint-disable-next-line no-control-regex
  const bad = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/.exec(found.text);
  assert.equal(bad && `${what}: U+${bad[0].charCodeAt(0).toString(16)} is shown`, null);
  assert.ok(found.wide <= found.window, `${what}: it is ${found.wide} px wide in a window of ${found.window}`);
  assert.deepEqual(found.outside, [], what);
  assert.ok(found.high < 300, `${what}: the header is ${found.high} px high`);
  return found;
}
