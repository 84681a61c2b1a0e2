// Walks through the pages of whet ui as a user would, in a real browser.
//
//   node journey/workbench.mjs DIR [SHOTS]
//
// DIR holds the addresses of three servers, one of which requires a token, and of a service that
// one of them records, from the Go test TestJourney of internal/server/workbench; it runs this
// script. SHOTS, if given, is a folder for screenshots. Exit code 77 means: no browser here.
import { copyFileSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { join } from "node:path";
import assert from "node:assert/strict";
import { createServer, request } from "node:http";
import { start, violations } from "./browser.mjs";

const journey = await start({ height: 800, pause: 250 });
const { step } = journey;
const read = (name) => readFileSync(join(journey.dir, `${name}.html`), "utf8").trim();
const [address, locked, foreign, service] = ["address", "locked", "foreign", "service"].map(read);

/** Opens a page of the server, when what it is about is there. */
async function open(path, ready, options) {
  return journey.open(address + path, { ready, ...options });
}

/** Opens a page about files that others wrote. */
async function openForeign(path, ready, options) {
  return journey.open(foreign + path, { ready, ...options });
}

/** Fails if the page is hard to use without a mouse or eyes, or wider than the window. */
async function accessible(p) {
  assert.deepEqual(await violations(p.page), []);
  assert.ok(await p.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "wider than the window");
}

/**
 * The English texts of a view, from their source, as expressions that match them with any words filled in. Those that
 * neither begin nor end with a text of their own are left out: names in recordings could match them.
 */
function english(view) {
  const source = readFileSync(new URL(`../src/texts/${view}.ts`, import.meta.url), "utf8");
  const table = Function(`return ${/export const en = (\{[\s\S]*?\n\});/.exec(source)[1]}`)();
  const parts = Object.values(table).map((text) => text.trim().split(/\{\w+(?:\|[^|{}]*)*\}/));
  const exact = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return parts.filter((p) => p[0] !== "" || p.at(-1) !== "").map((p) => new RegExp(`^${p.map(exact).join(".*")}$`));
}

/** The forms in which views are saved, from their source. */
function formsOfViews() {
  const source = readFileSync(new URL("../src/lib/forms.ts", import.meta.url), "utf8");
  const plain = source.replace(/^export type .*$/gm, "").replace(/^export /gm, "").replace(/ as const[^;]*;/g, ";");
  return Function(`${plain}\nreturn forms;`)();
}

/** What the console shows of an answer that the page explains. */
const refused = /the server responded with a status of 4\d\d/;

const hot = ".line-row";
const picture = ".flame-host .graph canvas";
const views = {
  hub: ["/", ".hub-row .hot-line"],
  overview: ["/overview?file=before.whet", hot],
  flame: ["/flame?file=before.whet", picture],
  graph: ["/graph?file=before.whet", ".callgraph .node"],
  compare: ["/compare?file=after.whet&base=before.whet", ".diff-table"],
  timeline: ["/timeline?file=before.whet", ".lanes .name"],
  load: ["/load?file=before.whet", "main[data-ready]"],
  goroutines: ["/goroutines?file=before.whet", ".group"],
  memory: ["/memory?file=before.whet", ".memory-bar"],
  proof: ["/proof?file=faster.json", ".figures"],
  different: ["/proof?file=different.json", ".differs"],
  fixes: ["/fixes?file=fixes.json", ".attempt"],
  findings: ["/findings?file=found.json", ".finding-row"],
  series: ["/over-time?file=after.whet", ".over-time tbody tr"],
  bench: ["/bench?file=bench.txt", "main[data-ready]"],
};

step("which line costs", async () => {
  const p = await open("/", ".hub-row .hot-line");
  await p.page.getByRole("link", { name: "before.whet" }).click();
  const line = p.page.locator(hot).first();
  await line.waitFor();
  assert.match(await line.innerText(), /joinSlowly[\s\S]*text \+= strconv\.Itoa\(i\)[\s\S]*called/);
  await line.getByRole("link").click();
  const here = p.page.locator(".src-line.here");
  await here.waitFor();
  assert.match(await here.innerText(), /\d%[\s\S]*text \+= strconv\.Itoa\(i\)/);
  assert.match(await p.page.locator('.virtual-row[aria-selected="true"]').innerText(), /joinSlowly/);
  await p.settle("line");
  // All sample types are there, without another document.
  await p.page.evaluate(() => (window.same = true));
  await p.page.getByLabel("Sample type").selectOption("allocs:alloc_space");
  await p.page.waitForSelector('.flame-host[data-type="alloc_space"]');
  assert.match(await p.page.locator(".src-line.here").innerText(), /text \+=/);
  assert.equal(await p.page.evaluate(() => window.same), true);
  await p.page.getByRole("button", { name: "Machine code" }).click();
  await p.page.getByRole("table", { name: /joinSlowly/ }).waitFor();
  await p.page.goBack();
  await p.close();
});

step("what ran when", async () => {
  const p = await open("/flame?file=before.whet", picture);
  await p.page.getByRole("button", { name: "Over time" }).click();
  await p.page.getByText(/^\d+ CPU samples of the execution trace, in the order/).waitFor();
  assert.match(p.page.url(), /view=time/);
  await p.page.locator(picture).waitFor();
  // The lines are those of the profile, whose cost is time.
  assert.match(await p.page.locator(".flame-lines .row-cost").first().innerText(), /\d(ms|s)$/);
  await p.settle("over-time-1280");
  await accessible(p);
  await p.page.getByLabel("Sample type").selectOption("allocs:alloc_space");
  await p.page.waitForSelector('.flame-host[data-type="alloc_space"]');
  assert.doesNotMatch(p.page.url(), /view=time/);
  await p.close();
  // A link to what has no times says so.
  const q = await open("/flame?file=before.whet&type=allocs:alloc_space&view=time", ".trouble");
  await q.page.getByText(/only the CPU samples of a recording with an execution trace have times/).waitFor();
  await q.close(refused);
});

step("pictures are saved", async () => {
  for (const [view, format] of [
    ["compare", "SVG"],
    ["compare", "PNG"],
    ["goroutines", "SVG"],
    ["goroutines", "PNG"],
    ["load", "SVG"],
    ["load", "PNG"],
    ["timeline", "PNG"],
  ]) {
    const p = await open(...views[view]);
    await p.settle();
    await p.page.getByRole("button", { name: "Share" }).click();
    const saving = p.page.waitForEvent("download");
    await p.page.locator(".share-files").getByText(`Save as ${format}`).click();
    const data = readFileSync(await (await saving).path());
    if (format === "PNG") {
      assert.equal(data.subarray(1, 4).toString("latin1"), "PNG", view);
      assert.ok(data.readUInt32BE(16) > 300 && data.readUInt32BE(20) > 100, `${view} is too small`);
    } else {
      // It is well-formed, and has more than a title.
      const parts = await p.page.evaluate((text) => {
        const doc = new DOMParser().parseFromString(text, "image/svg+xml");
        return doc.querySelector("parsererror") ? -1 : doc.querySelectorAll("rect, polyline").length;
      }, data.toString("utf8"));
      assert.ok(parts > 2, `${view}: ${parts} parts`);
    }
    journey.keep(`saved-${view}.${format.toLowerCase()}`, data);
    await p.close();
  }
});

step("did my change help", async () => {
  const p = await open("/", ".hub-row .hot-line");
  for (const name of ["before.whet", "after.whet"]) await p.page.getByLabel(`Pick ${name} to compare`).check();
  await p.page.getByRole("button", { name: "Compare the two" }).click();
  await p.page.locator(".diff-table").waitFor();
  assert.match(await p.page.locator(".verdict-text").innerText(), /A request costs less: −\d/);
  const row = p.page.locator(".diff-table tbody tr", { hasText: "joinSlowly" });
  assert.match(await row.innerText(), /gone/);
  // The totals of both sides, in all and for a request.
  const sides = await p.page.locator(".sides .side").allInnerTexts();
  assert.equal(sides.length, 2);
  for (const text of sides) assert.match(text, /\d(ms|s)\b[\s\S]*\d(us|µs|ms|ns)[\s\S]*request/, text);
  // What is within the noise is pale, if it is shown at all.
  const pale = p.page.locator(".diff-table .within");
  assert.equal(await pale.count(), 0);
  await p.page.getByLabel("Hide what is within the noise").uncheck();
  await pale.first().waitFor();
  await p.settle("helped");
  await p.page.getByRole("button", { name: "Relative" }).click();
  assert.equal(await p.page.locator('th[aria-sort="descending"]').innerText(), "Relative ▾");
  // Backwards, it is worse.
  await p.page.getByRole("button", { name: /Swap/ }).click();
  await p.page.getByText(/A request costs more: \+/).waitFor();
  await p.page.goBack();
  await p.page.getByText(/A request costs less/).waitFor();
  await p.page.getByRole("link", { name: "Difference as a flame graph" }).click();
  await p.page.locator(picture).waitFor();
  await p.close();
});

step("record from the page", async () => {
  const p = await open("/", ".record form");
  await p.page.getByLabel("Duration").fill("2s");
  await p.page.getByLabel("Trace", { exact: true }).fill("0s");
  await p.page.getByLabel(/^Load/).selectOption({ index: 1 });
  await p.page.getByText(/whet record http:\/\/\S+ -d 2s --trace 0s --load \S+ -o recording-/).waitFor();
  await p.page.getByRole("button", { name: "Record", exact: true }).click();
  await p.page.locator(".job progress").waitFor();
  await p.settle("recording");
  await p.page.getByRole("link", { name: /^Open recording-/ }).click();
  await p.page.getByText("joinQuickly").first().waitFor();
  assert.match(await p.page.locator(".facts").innerText(), /requests,/);
  // A recording that is canceled keeps what was measured.
  await p.page.getByRole("link", { name: "whet", exact: true }).click();
  await p.page.getByLabel("Duration").fill("60s");
  await p.page.getByRole("button", { name: "Record", exact: true }).click();
  await p.page.locator(".job-running .job-now", { hasText: /cpu|profile|load/i }).waitFor();
  await p.page.getByRole("button", { name: "Cancel" }).click();
  await p.page.locator(".job-canceled").waitFor();
  await p.close();
});

step("a recording that was canceled starts again, and every page follows it", async () => {
  const p = await open("/", ".record form");
  await p.page.getByLabel("Duration").fill("6s");
  await p.page.getByLabel("Trace", { exact: true }).fill("0s");
  await p.page.getByRole("button", { name: "Record", exact: true }).click();
  const running = p.page.locator(".job-running");
  const now = running.locator(".job-now", { hasText: /cpu|profile|load/i });
  await now.waitFor();
  // Another page, and this one when it is loaded again, follow the same job.
  await p.page.reload();
  await now.waitFor();
  await running.getByRole("button", { name: "Cancel" }).click();
  const canceled = p.page.locator(".job-canceled").first();
  await canceled.waitFor();
  await canceled.getByRole("button", { name: "Again" }).click();
  await now.waitFor();
  const done = p.page.locator(".job").first();
  await done.and(p.page.locator(".job-done")).waitFor();
  await done.getByRole("link", { name: /^Open recording-/ }).click();
  await p.page.locator(".facts").waitFor();
  assert.match(p.page.url(), /\/overview\?file=recording-/);
  await p.close();
});

step("a recording that is dropped on the page opens", async () => {
  const p = await open("/", ".hub-row");
  const bytes = await (await fetch(`${address}/api/v1/download?file=before.whet`)).arrayBuffer();
  const data = await p.page.evaluateHandle((text) => {
    const d = new DataTransfer();
    d.items.add(new File([Uint8Array.from(atob(text), (c) => c.charCodeAt(0))], "given.whet"));
    return d;
  }, Buffer.from(bytes).toString("base64"));
  await p.page.locator(".drop").dispatchEvent("drop", { dataTransfer: data });
  await p.page.locator(".facts").waitFor();
  assert.match(p.page.url(), /\/overview\?file=\S*given\S*\.whet/);
  await p.page.locator(hot, { hasText: "joinSlowly" }).first().waitFor();
  await p.close();
});

step("share what I see", async () => {
  const p = await open("/flame?file=before.whet", picture);
  await p.settle();
  await p.page.getByLabel("Search (regexp)").fill("joinSlowly");
  await p.page.locator(".found", { hasText: "%" }).waitFor();
  await p.settle();
  await p.page.locator(picture).focus();
  await p.page.keyboard.press("n");
  await p.page.keyboard.press("Enter");
  const crumb = p.page.locator('.flame-path [aria-current="location"]');
  await crumb.waitFor();
  const zoomed = await crumb.innerText();
  assert.match(zoomed, /joinSlowly/);
  const link = await p.page.evaluate(() => location.href);
  assert.match(decodeURIComponent(link), /at=\S*joinSlowly~/);
  await p.page.getByRole("button", { name: "Share" }).click();
  const dialog = p.page.getByRole("dialog");
  assert.match(await dialog.innerText(), /whet flame --type cpu:cpu before\.whet/);
  await accessible(p);
  const download = p.page.waitForEvent("download");
  await dialog.getByRole("link", { name: "Save this page as one HTML file" }).click();
  const html = readFileSync(await (await download).path(), "utf8");
  assert.ok(html.includes("whet-flame") && html.length < 5_000_000);
  // The graph as a picture that other programs open.
  await p.page.getByRole("button", { name: "Share" }).click();
  const drawn = p.page.waitForEvent("download");
  await dialog.getByRole("button", { name: "Save as SVG" }).click();
  const svg = readFileSync(await (await drawn).path(), "utf8");
  assert.match(svg, /^<\?xml[\s\S]*<svg [\s\S]*<title>[^<]*joinSlowly[\s\S]*<\/svg>\s*$/);
  assert.ok(!/oklch|NaN|undefined/.test(svg) && /fill="#[0-9a-f]{6}"/.test(svg));
  const valid = await p.page.evaluate((text) => {
    const doc = new DOMParser().parseFromString(text, "image/svg+xml");
    return doc.querySelector("parsererror")?.textContent ?? doc.documentElement.localName;
  }, svg);
  assert.equal(valid, "svg");
  const other = await open(link.slice(address.length), '.flame-path [aria-current="location"]');
  assert.equal(await other.page.locator('.flame-path [aria-current="location"]').innerText(), zoomed);
  // The link names the frame by function and path: it holds in another recording of the program.
  await other.page.getByLabel("Recordings").selectOption("after.whet");
  await other.page.locator(".flame-path").waitFor({ state: "detached" }); // joinSlowly is gone there
  await other.page.goBack();
  await other.page.locator(".flame-path", { hasText: "joinSlowly" }).waitFor();
  await other.close(/status of 400/); // the source pane may have been told that the function is gone
  await p.close();
});

step("a recording is one page that needs no server", async () => {
  const p = await open("/overview?file=before.whet", hot);
  await p.page.getByRole("button", { name: "Share" }).click();
  const download = p.page.waitForEvent("download");
  await p.page.getByRole("link", { name: "Save the recording as one HTML file" }).click();
  copyFileSync(await (await download).path(), join(journey.dir, "before.html"));
  await p.close();
  const saved = await journey.open("before.html", { ready: hot });
  const tab = (name) => saved.page.locator("nav.tabs").getByRole("link", { name, exact: true });
  const ready = {
    Flame: picture,
    Graph: ".callgraph .node",
    Goroutines: ".group",
    Memory: ".memory-bar",
    Overview: hot,
  };
  assert.deepEqual((await saved.page.locator("nav.tabs a").allInnerTexts()).sort(), [...Object.keys(ready), "Load", "Timeline"].sort());
  for (const [name, selector] of Object.entries(ready)) {
    await tab(name).click();
    await saved.page.locator(selector).first().waitFor();
    await saved.settle(`saved-${name}`);
    assert.equal(await saved.page.locator(".trouble").count(), 0, name);
    await saved.accessible();
  }
  for (const [name, selector] of [["Load", "main canvas"], ["Timeline", "canvas"]]) {
    await tab(name).click();
    await saved.page.frameLocator(".saved-page").locator(selector).first().waitFor();
    await saved.settle(`saved-${name}`);
  }
  // Each sample type that the flame graph offers is there, and the source of its lines.
  await tab("Flame").click();
  const types = await saved.page.getByLabel("Sample type").locator("option").evaluateAll((all) => all.map((o) => o.value));
  assert.ok(types.length > 5, String(types));
  for (const type of types) {
    await saved.page.getByLabel("Sample type").selectOption(type);
    await saved.settle();
    assert.deepEqual(await saved.page.locator(".trouble").allInnerTexts(), [], type);
  }
  await tab("Overview").click();
  await saved.page.locator(hot).first().getByRole("link").click();
  await saved.page.locator(".flame-source", { hasText: "joinSlowly" }).waitFor();
  await saved.page.reload();
  await saved.page.locator(".flame-source", { hasText: "joinSlowly" }).waitFor();
  await saved.page.goBack();
  await saved.page.locator(hot).first().waitFor();
  // What is not there is said.
  await saved.page.evaluate(() => (location.hash = "#/flame?file=before.whet&focus=joinSlowly"));
  await saved.page.locator(".trouble", { hasText: "whet ui FILE" }).first().waitFor();
  await saved.close();
});

step("filters, directions, and callers and callees", async () => {
  const p = await open("/flame?file=before.whet&src=" + encodeURIComponent("strconv.Itoa"), ".flame-source h2");
  await p.page.getByRole("button", { name: "Callers and callees" }).click();
  await p.page.locator('[aria-pressed="true"]', { hasText: "Callers and callees" }).waitFor();
  await p.settle("sandwich");
  await p.page.getByRole("button", { name: "Ignore" }).click();
  await p.page.waitForFunction(() => new URLSearchParams(location.search).get("ignore") === "^strconv\\.Itoa$");
  await p.page.getByText(/no cost here/).waitFor();
  await p.page.getByRole("button", { name: "Close" }).click();
  await p.page.getByRole("button", { name: "Show everything" }).click();
  await p.page.getByRole("button", { name: "Bottom-up" }).click();
  await p.page.waitForFunction(() => location.search.includes("view=up"));
  await p.page.getByRole("button", { name: "All functions" }).click();
  const first = p.page.locator(".virtual-row").first();
  await first.waitFor();
  await p.page.getByRole("listbox").focus();
  await p.page.keyboard.press("ArrowDown");
  await p.page.keyboard.press("ArrowDown");
  await p.page.keyboard.press("Enter");
  await p.page.waitForFunction(() => location.search.includes("src="));
  await p.close(refused); // of a function that the filters drop
});

step("the keyboard finds everything", async () => {
  const p = await open("/overview?file=before.whet", hot);
  await p.page.keyboard.press("?");
  await p.page.getByRole("dialog", { name: "Keys" }).waitFor();
  await accessible(p);
  await p.page.keyboard.press("Escape");
  await p.page.keyboard.press("Control+k");
  await p.page.getByRole("combobox", { name: /View, file/ }).fill("flame");
  await accessible(p);
  await p.page.keyboard.press("Enter");
  await p.page.locator(picture).waitFor();
  await p.page.keyboard.press("g");
  await p.page.keyboard.press("o");
  await p.page.locator(hot).first().waitFor();
  const before = await p.page.evaluate(() => document.documentElement.dataset.theme);
  await p.page.keyboard.press("l");
  await p.page.keyboard.press("l");
  assert.notEqual(await p.page.evaluate(() => document.documentElement.dataset.theme), before);
  await p.page.goBack();
  await p.page.locator(picture).waitFor();
  await p.page.goForward();
  await p.page.locator(hot).first().waitFor();
  await p.close();
});

step("the timeline and the load have the header", async () => {
  const p = await open("/overview?file=before.whet", hot);
  const tab = (name) => p.page.getByRole("navigation").getByRole("link", { name, exact: true });
  await tab("Timeline").click();
  await p.page.locator(".lanes .name").first().waitFor();
  assert.equal(await tab("Timeline").getAttribute("aria-current"), "page");
  const policy = (await p.page.request.get(p.page.url())).headers()["content-security-policy"];
  assert.match(policy, /script-src 'self'; style-src 'self'/);
  // The keys are those of the timeline, and so is the help.
  await p.page.keyboard.press("w");
  await p.page.waitForFunction(() => location.hash.startsWith("#t="));
  await p.page.getByRole("button", { name: "Keys (?)" }).click();
  await p.page.getByRole("dialog").getByText(/wake/i).first().waitFor();
  await p.page.keyboard.press("Escape");
  await p.page.getByRole("button", { name: "Share" }).click();
  assert.match(await p.page.getByRole("dialog").innerText(), /#t=[\s\S]*whet trace timeline (--from \S+ --to \S+ )?before\.whet/);
  await accessible(p);
  await p.page.keyboard.press("Escape");
  // A theme that is chosen in the header is that of the canvases.
  const axis = () => p.page.locator("canvas.axis").evaluate((c) => c.toDataURL());
  const [light, shade] = [await axis(), await p.page.evaluate(() => document.documentElement.dataset.theme)];
  const turn = p.page.getByRole("button", { name: /^Colors/ });
  await turn.click();
  await turn.click();
  assert.notEqual(await p.page.evaluate(() => document.documentElement.dataset.theme), shade);
  await p.settle();
  assert.notEqual(await axis(), light);
  await p.page.getByLabel("Recordings").selectOption("after.whet");
  await p.page.waitForURL(/timeline\?file=after\.whet/);
  await p.page.locator(".lanes .name").first().waitFor();
  await p.page.goBack();
  await p.page.waitForURL(/timeline\?file=before\.whet#t=/);
  await tab("Load").click();
  await p.page.locator("main[data-ready]").waitFor();
  await p.page.getByRole("button", { name: "Share" }).click();
  const download = p.page.waitForEvent("download");
  await p.page.getByRole("link", { name: "Save this page as one HTML file" }).click();
  assert.match(readFileSync(await (await download).path(), "utf8"), /id="whet-load"/);
  await p.page.keyboard.press("Control+k");
  await p.page.getByRole("combobox", { name: /View, file/ }).fill("flame");
  await p.page.keyboard.press("Enter");
  await p.page.locator(picture).waitFor();
  await p.page.goBack();
  await p.page.locator("main[data-ready]").waitFor();
  await tab("Overview").click();
  await p.page.locator(hot).first().waitFor();
  await p.close();
  // Where the timeline once was.
  const old = await open("/trace/before.whet/#t=0-1000", ".lanes .name");
  assert.match(old.page.url(), /timeline\?file=before\.whet#t=0-1000/);
  await old.close();
});

step("what goroutines wait for, and where memory goes", async () => {
  const p = await open("/overview?file=before.whet", hot);
  await p.page.getByRole("link", { name: "Goroutines", exact: true }).click();
  await p.page.locator(".group").first().waitFor();
  const number = (text) => Number(/\d[\d,]*/.exec(text)[0].replaceAll(",", ""));
  const total = number(await p.page.locator("h1").innerText());
  const counts = await p.page.locator(".reasons b").allInnerTexts();
  assert.equal(counts.map(number).reduce((a, b) => a + b), total);
  // The reason that most goroutines have, and then a function.
  const reason = p.page.locator(".reasons button").first();
  await reason.click();
  await p.page.waitForFunction(() => location.search.includes("reason="));
  const shown = await p.page.locator(".group-count b").allInnerTexts();
  assert.equal(shown.map(number).reduce((a, b) => a + b), number(counts[0]));
  await reason.click();
  await p.page.getByLabel("Function, file or creator (regexp)").fill("Accept");
  await p.page.keyboard.press("Enter");
  await p.page.getByText(/the filter drops \d/).waitFor();
  const group = p.page.locator(".group", { hasText: "Serve" }).first();
  await group.getByText(/\d+ frames/).click();
  assert.match(await group.locator(".group-stack").innerText(), /Accept/);
  assert.match(await group.innerText(), /started by/);
  await p.page.getByRole("button", { name: "Share" }).click();
  assert.match(await p.page.getByRole("dialog").innerText(), /whet goroutines --focus Accept before\.whet/);
  await p.page.keyboard.press("Escape");
  await p.page.getByRole("link", { name: "Memory", exact: true }).click();
  await p.page.locator(".memory-bar").waitFor();
  const parts = await p.page.locator(".memory-bar > span:not(.memory-absent)").count();
  assert.ok(parts >= 5 && (await p.page.locator("tbody tr").count()) >= parts);
  // The bar is as wide as its parts together, and what is absent is at its end.
  const ends = await p.page.locator(".memory-bar").evaluate((bar) => {
    const right = (e) => e?.getBoundingClientRect().right;
    return [right(bar), right([...bar.children].findLast((c) => c.className !== "memory-absent"))];
  });
  assert.ok(Math.abs(ends[0] - ends[1]) < 2, String(ends));
  await p.page.getByText("Heap at the next collection").waitFor();
  await p.page.goBack();
  await p.page.locator(".group").first().waitFor();
  await p.close();
});

step("lines over time", async () => {
  const p = await open("/overview?file=after.whet", hot);
  await p.page.getByRole("link", { name: "Lines over time" }).click();
  const row = p.page.locator(".over-time tbody tr", { hasText: "joinSlowly" }).first();
  await row.waitFor();
  assert.match(await row.innerText(), /text \+= strconv\.Itoa/);
  const heads = await p.page.locator(".over-time thead a").allInnerTexts();
  assert.ok(heads.indexOf("before.whet") >= 0 && heads.indexOf("before.whet") < heads.indexOf("after.whet"), String(heads));
  for (const [width, scheme] of [[390, "light"], [1280, "dark"], [2560, "light"]]) {
    await p.page.setViewportSize({ width, height: 844 });
    await p.page.emulateMedia({ colorScheme: scheme });
    await p.settle(`series-${width}-${scheme}`);
    await accessible(p);
  }
  await row.getByRole("link").first().click();
  await p.page.locator(".src-line.here").waitFor();
  await p.page.goBack();
  await row.waitFor();
  await p.close();
});

/** Calls the service while work runs. */
async function busy(work) {
  let done = false;
  const call = async () => {
    while (!done) await fetch(service).then((r) => r.text());
  };
  const calls = [call(), call()];
  try {
    await work();
  } finally {
    done = true;
    await Promise.all(calls);
  }
}

step("lines of a running service, live", () => busy(async () => {
  const p = await open("/", ".record form");
  await p.page.getByRole("link", { name: "Watch its lines live" }).click();
  const rows = p.page.locator(".live-table tbody tr");
  await rows.first().waitFor();
  assert.match(await p.page.locator(".live-table").innerText(), /journey_test\.go:\d+/);
  const windows = () => p.page.locator(".live-table polyline").first().getAttribute("points").then((s) => s.split(" ").length);
  await p.page.waitForFunction(() => document.querySelector(".live-table polyline").getAttribute("points").split(" ").length >= 2);
  assert.ok((await windows()) >= 2);
  await p.page.getByRole("button", { name: "Since the start" }).click();
  await p.page.waitForFunction(() => location.search.includes("by=sum"));
  await p.page.getByRole("button", { name: "Stop" }).click();
  await savedInForms(p, "live", formsOfViews().live);
  await journey.everySize(p, "live", accessible);
  await p.page.setViewportSize({ width: 360, height: 740 });
  const over = await p.page.locator(".live-table tbody th").evaluateAll((all) =>
    all.filter((th) => [...th.children].some((c) => c.getBoundingClientRect().right > th.getBoundingClientRect().right + 1)),
  );
  assert.equal(over.length, 0, "names are drawn over figures");
  await p.close();
}));

/** The command lines that show the same. */
const commands = {
  overview: /\nwhet top before\.whet\n/,
  flame: /\nwhet flame --type cpu:cpu before\.whet\n/,
  graph: /\nwhet graph -n 40 -o graph\.svg before\.whet\n/,
  compare: /\nwhet diff before\.whet after\.whet\n/,
  timeline: /\nwhet trace timeline before\.whet\n/,
  load: /\nwhet ui --view load before\.whet\n/,
  goroutines: /\nwhet goroutines before\.whet\n/,
  memory: /\nwhet memory before\.whet\n/,
  proof: /\nwhet ui faster\.json\n/,
  fixes: /\nwhet ui fixes\.json\n/,
  findings: /\nwhet ui found\.json\n/,
  hub: /\nwhet ui --target http:\S+ --load http:\S+ recordings\n/,
  live: /\nwhet top --live http:/,
  bench: /\nwhet ui --view bench bench\.txt\n/,
  series: /\nwhet ui --view over-time after\.whet (.* )?before\.whet/,
};

/** Saves a view in each form that it has; the menu has no other one. has is its row of the table of forms. */
async function savedInForms(p, view, has) {
  const names = {
    html: "one HTML file",
    pprof: "pprof",
    svg: "Save as SVG",
    png: "Save as PNG",
    csv: "Save as CSV",
    json: "Save as JSON",
  };
  const starts = { html: /^<!doctype html>/i, pprof: /^\x1f/, svg: /^<\?xml|^<svg/, png: /^.PNG/s, csv: /^"/, json: /^\s*[{[]/ };
  for (const [form, name] of Object.entries(names)) {
    await p.page.getByRole("button", { name: "Share" }).click();
    assert.match(await p.page.getByRole("dialog").innerText(), commands[view], `${view} as a command`);
    const items = p.page.locator(".share-files").getByText(new RegExp(`${name}$`));
    if (has[form] !== true) {
      assert.equal(await items.count(), 0, `${view} as ${form}: ${has[form]}`);
      await p.page.keyboard.press("Escape");
      continue;
    }
    const saving = p.page.waitForEvent("download");
    await items.first().click();
    const data = readFileSync(await (await saving).path());
    assert.match(data.toString("latin1"), starts[form], `${view} as ${form}`);
    if (form === "svg" || form === "png") journey.keep(`saved-${view}.${form}`, data);
    if (view !== "timeline" || (form !== "csv" && form !== "json")) continue;
    // The rows have the time of their states, and the window of the moment.
    const rows = form === "csv" ? data.toString().split("\r\n").length - 2 : JSON.parse(data).rows.length;
    assert.ok(rows > 5, `${rows} rows`);
    assert.match(data.toString(), form === "csv" ? /^"type","id",.*"running_ns"/ : /"time": \{\s+"[^"]+": \d+/);
  }
}

step("each view can be saved in the forms that it has", async () => {
  const own = { series: "over-time" }; // by the names of addresses
  const forms = formsOfViews();
  const apart = new Set(["different", "live"]); // the same view again, and one with a step of its own
  for (const [view, at] of Object.entries(views).filter(([v]) => !apart.has(v))) {
    const p = await open(...at);
    await savedInForms(p, view, forms[own[view] ?? view]);
    await p.close();
  }
});

step("recordings are saved as they are", async () => {
  for (const view of ["overview", "timeline"]) {
    const p = await open(...views[view]);
    await p.page.getByRole("button", { name: "Share" }).click();
    const saving = p.page.waitForEvent("download");
    await p.page.getByText("Save the recording", { exact: true }).click();
    assert.match(readFileSync(await (await saving).path()).toString("latin1"), /^PK/);
    await p.close();
  }
});

step("profiles are saved with what the filters keep, and commands have the filters", async () => {
  const p = await open("/flame?file=before.whet&focus=joinSlowly", picture);
  await p.page.getByRole("button", { name: "Share" }).click();
  const saving = p.page.waitForEvent("download");
  await p.page.getByText("Save what the filters keep as pprof").click();
  const download = await saving;
  assert.match(download.suggestedFilename(), /before\.cpu\.filtered\.pb\.gz/);
  const strings = gunzipSync(readFileSync(await download.path())).toString("latin1");
  assert.ok(strings.includes("joinSlowly") && !strings.includes("readRequest"));
  await p.close();
  for (const [path, ready, command] of [
    [
      "/over-time?file=after.whet&type=cpu:cpu&focus=join",
      ".over-time tbody tr",
      /\nwhet ui --view over-time --type cpu:cpu --focus join after\.whet /,
    ],
    ["/goroutines?file=before.whet&reason=select", ".group", /\nwhet goroutines --reason select before\.whet\n/],
    ["/flame?file=before.whet&view=up", picture, /\nwhet tree --bottom-up --type cpu:cpu before\.whet\n/],
    ["/flame?file=before.whet&fn=strconv.Itoa", picture, /\nwhet peek --type cpu:cpu '\^strconv\\\.Itoa\$' before\.whet\n/],
  ]) {
    const q = await open(path, ready);
    await q.page.getByRole("button", { name: "Share" }).click();
    assert.match(await q.page.getByRole("dialog").innerText(), command);
    await q.close();
  }
});

step("two results of benchmarks are compared, and rows say what is in a file", async () => {
  const p = await open("/", ".hub-row .hot-line");
  const row = (name) => p.page.locator(".hub-row", { hasText: name });
  await p.page.getByLabel("Filter by name").fill("bench.txt");
  await row("bench.txt").getByText("benchmarks: 1").waitFor();
  await row("bench.txt").getByText("example.com/x").waitFor();
  await row("bench.txt").getByRole("checkbox").check();
  await p.page.getByLabel("Filter by name").fill("found.json");
  await row("found.json").getByText("findings: 1").waitFor();
  await row("found.json").getByText("to review: 1").waitFor();
  assert.equal(await row("found.json").getByRole("checkbox").count(), 0);
  await p.page.getByLabel("Filter by name").fill("along.json");
  await row("along.json").getByText("commits: 10").waitFor();
  assert.equal(await row("along.json").getByRole("checkbox").count(), 0);
  await p.page.getByLabel("Filter by name").fill("new.txt");
  await row("new.txt").getByRole("checkbox").check();
  await p.page.locator(".hub-bar .primary").click();
  await p.page.waitForURL(/\/bench\?file=\w+\.txt&base=\w+\.txt/);
  await p.page.locator("main[data-ready]").waitFor();
  await p.page.locator("main").getByText("Join").first().waitFor();
  await p.page.getByRole("button", { name: "Share" }).click();
  assert.match(await p.page.getByRole("dialog").innerText(), /\nwhet bench compare (bench|new)\.txt (bench|new)\.txt\n/);
  await p.page.keyboard.press("Escape");
  await p.settle("bench-two");
  await p.close();
});

step("a timeline is saved for the window that it shows", async () => {
  const p = await open("/timeline?file=before.whet#t=1000000-2000000", ".lanes .name");
  await p.page.getByRole("button", { name: "Share" }).click();
  assert.match(await p.page.getByRole("dialog").innerText(), /whet trace timeline --from 1000000ns --to 2000000ns before\.whet/);
  const saving = p.page.waitForEvent("download");
  await p.page.locator(".share-files").getByText("Save as JSON").click();
  const doc = JSON.parse(readFileSync(await (await saving).path(), "utf8"));
  assert.deepEqual([doc.from, doc.to], [1_000_000, 2_000_000]);
  for (const r of doc.rows.filter((r) => r.type === "proc")) {
    const time = Object.values(r.time).reduce((n, t) => n + t, 0);
    assert.ok(time <= 1_000_001, `${r.name}: ${time} ns`);
  }
  await p.page.getByRole("button", { name: "Share" }).click();
  const page = p.page.waitForEvent("download");
  await p.page.locator(".share-files").getByText("Save this page as one HTML file").click();
  copyFileSync(await (await page).path(), join(journey.dir, "window.html"));
  await p.close();
  const saved = await journey.open("window.html", { ready: ".lanes .name" });
  await saved.close();
});

step("verdicts and rewrites have pages", async () => {
  const p = await open("/", ".hub-row .hot-line");
  await p.page.getByLabel("Filter by name").fill("different.json");
  const row = p.page.locator(".hub-row", { hasText: "different.json" });
  await row.getByText("Different: it does not behave the same").waitFor();
  await row.getByRole("link", { name: "different.json" }).click();
  // The sentence is on top, then the input and both answers.
  const page = p.page.locator(".proof");
  await page.getByRole("heading", { level: 1, name: /^Different/ }).waitFor();
  assert.match(await page.locator(".verdict-text").innerText(), /^Join behaves differently$/);
  assert.match(await page.locator(".differs > .finding-code").innerText(), /r0 := Join\(\[\]string\{" A", "<b>"\}\)/);
  assert.match(await page.locator(".differs .minus").innerText(), /^r0 = " a, <b>"/);
  assert.match(await page.locator(".differs .plus").innerText(), /^r0 = "a, <b>"/);
  await page.getByText("go test -run '^TestReproduce_Join$' .").waitFor();
  await p.settle("proof-different");
  await accessible(p);
  await p.page.goto(address + "/proof?file=faster.json");
  await page.getByRole("heading", { level: 1, name: /^Faster/ }).waitFor();
  const figures = await page.locator(".figures tbody tr").allInnerTexts();
  assert.match(figures[0], /Join sec\/op\s+2\.000µ\s+1\.000µ\s+−50\.00%\s+±2%\s+better \(2\.0x\)/);
  assert.match(figures[1], /allocs\/op[\s\S]*−100%/);
  assert.ok(!/NaN|Inf|undefined|∞/.test(await page.innerText()));
  await page.getByText("Predicted for the recorded program: −15.0% (−16.0% … −14.0%) CPU time").waitFor();
  await page.getByText("of x.BenchmarkJoin and of the recording agree on 97.00% of the time").waitFor();
  assert.match(await page.innerText(), /1,234[\s\S]*b\.WriteString\(part\) \/\/ <b>[\s\S]*10 of 12[\s\S]*if i >= 0 \{/);
  await p.page.goto(address + "/proof?file=unproven.json");
  await page.getByText("no benchmark runs the change write one").waitFor();
  await page.getByText("live heap after 100 iterations: from 1MB to 3MB (BenchmarkJoin)").waitFor();
  // Rewrites: what was kept first, the others by choice.
  await p.page.goto(address + "/fixes?file=fixes.json");
  await p.page.getByRole("heading", { level: 1, name: "Rewrites kept: 1 of 3" }).waitFor();
  assert.deepEqual(await p.page.locator(".attempt .badge").allInnerTexts(), ["kept", "dropped", "needs a manual step"]);
  const kept = await p.page.locator(".attempt").first().innerText();
  assert.match(kept, /recorded program: −15\.0% CPU time, from x\.BenchmarkJoin\./);
  assert.match(kept, /How similar x\.BenchmarkJoin is to the recording is not known: the recording has 7 samples/);
  await p.page.getByRole("button", { name: "dropped" }).click();
  const dropped = p.page.locator(".attempt");
  assert.match(await dropped.innerText(), /string formatted by fmt[\s\S]*test[\s\S]*want <a>[\s\S]*write a benchmark/);
  await p.page.waitForFunction(() => location.search.includes("show=dropped"));
  await p.close();
});

step("a verdict that is dropped on the page opens", async () => {
  const p = await open("/", ".hub-row .hot-line");
  for (const [name, heading, text] of [
    ["mine.json", /^Slower/, '{"schema": "whet.prove/1", "module": "m", "a": "A", "b": "B", "outcome": "slower", ' +
      '"reason": "F <b> sec/op +9%", "changed": {"files": null}, "tests_of": "a", "base": {}}'],
    ["odd.json", "constructor", '{"schema": "whet.prove/1", "outcome": "constructor", "reason": "before:\\nafter:"}'],
    ["fixed.json", /^Rewrites kept: 0/, '{"schema": "whet.fix/2", "module": "m", "attempts": null, "rounds": 1}'],
  ]) {
    const data = await p.page.evaluateHandle(([name, text]) => {
      const d = new DataTransfer();
      d.items.add(new File([text], name));
      return d;
    }, [name, text]);
    await p.page.locator(".drop").dispatchEvent("drop", { dataTransfer: data });
    await p.page.getByRole("heading", { level: 1, name: heading }).waitFor();
    await accessible(p);
    await p.page.getByRole("link", { name: "whet", exact: true }).click();
    await p.page.locator(".hub-row").first().waitFor();
  }
  await p.close();
});

step("benchmarks along commits have the header, the theme and the keys", async () => {
  const p = await open("/bench?file=along.json", "main[data-ready]");
  const row = p.page.locator("tr.commit").first();
  assert.match(await row.innerText(), /2026-01-02 change 6 of <b>Join<\/b>/);
  await row.getByRole("link").click();
  await p.page.locator(".commits .bad", { hasText: "worse" }).waitFor();
  assert.match(await p.page.evaluate(() => location.href), /along\.json#commit=\w+&base=\w+$/);
  await accessible(p);
  const before = await p.page.evaluate(() => document.documentElement.dataset.theme);
  for (let i = 0; i < 2; i++) await p.page.getByRole("button", { name: /^Colors/ }).click();
  assert.notEqual(await p.page.evaluate(() => document.documentElement.dataset.theme), before);
  await p.page.getByRole("button", { name: "Keys (?)" }).click();
  await p.page.getByRole("dialog", { name: "Benchmarks along commits" }).waitFor();
  await p.page.keyboard.press("Escape");
  await p.page.keyboard.press("Control+k");
  await p.page.getByRole("combobox", { name: /View, file/ }).fill("bench.txt");
  await p.page.keyboard.press("Enter");
  await p.page.waitForURL(/bench\.txt/);
  await p.page.locator("main[data-ready]").waitFor();
  // A run has keys, too.
  await p.page.keyboard.press("?");
  await p.page.getByRole("dialog", { name: "Keys" }).waitFor();
  await accessible(p);
  await p.close();
  for (const [width, colorScheme] of [[390, "light"], [1280, "dark"], [2560, "light"]]) {
    const q = await open("/bench?file=along.json", "main[data-ready]", { colorScheme, viewport: { width, height: 844 } });
    await q.settle(`along-${width}-${colorScheme}`);
    await accessible(q);
    await q.close();
  }
});

step("results of benchmarks and findings have pages", async () => {
  for (const [width, colorScheme] of [
    [1280, "light"],
    [390, "dark"],
  ]) {
    const p = await open("/", ".hub-row .hot-line", { viewport: { width, height: 844 }, colorScheme });
    await p.page.getByRole("link", { name: "found.json" }).click();
    const found = p.page.locator(".finding-row");
    await found.getByText("use a strings.Builder").click();
    assert.match(await found.innerText(), /25\.00%[\s\S]*join\.go:12[\s\S]*<b>all<\/b>[\s\S]*b\.WriteString\(part\)/);
    await p.settle(`findings-${width}-${colorScheme}`);
    await accessible(p);
    if (width < 1000) await p.page.locator(".contents > summary").click(); // it folds
    await p.page.getByLabel("Filter by rule, function or file").fill("nothing");
    await p.page.getByText("The filters keep nothing.").waitFor();
    await p.page.getByRole("link", { name: "whet", exact: true }).click();
    for (const name of ["bench.txt", "compared.json"]) {
      await p.page.getByRole("link", { name }).click();
      await p.page.locator("main[data-ready]").waitFor();
      await p.page.locator("main").getByText("Join").first().waitFor(); // what is out of sight is drawn later
      await p.settle(`bench-${width}-${colorScheme}`);
      await accessible(p);
      await p.page.goBack();
      await p.page.locator(".hub-row").first().waitFor();
    }
    await p.close();
  }
});

step("a view that a file does not have is explained", async () => {
  for (const view of ["timeline", "load", "goroutines", "memory"]) {
    const p = await openForeign(`/${view}?file=strings.pb.gz`, ".trouble");
    await p.page.getByRole("link", { name: "Overview" }).waitFor();
    await p.close(refused);
  }
});

step("foreign names are text", async () => {
  for (const name of ["hostile.whet", "strings.pb.gz", "<b>markup.whet"]) {
    for (const view of ["overview", "flame", "graph"]) {
      const p = await openForeign(`/${view}?file=${encodeURIComponent(name)}`, "main > *");
      await p.page.waitForLoadState("networkidle");
      await p.settle(view === "flame" ? `foreign-${name.replace(/\W/g, "")}` : undefined);
      assert.equal(await p.page.evaluate(() => window.pwned), undefined, name);
      assert.equal(await p.page.evaluate(() => document.querySelectorAll("main img, main script, main b b").length), 0);
      const text = await p.page.locator("body").innerText();
      assert.ok(!/[\u001b\u202e\u200b\u0007]/.test(text), `${name} ${view}`);
      // A view that cannot be drawn is refused by the server, which the console shows.
      await p.close(refused);
    }
  }
  const p = await openForeign("/", ".hub-row .hot-line");
  await p.page.getByText("<b>markup.whet").waitFor();
  await p.settle("foreign-list");
  assert.equal(await p.page.evaluate(() => window.pwned), undefined);
  await p.close(refused); // of the files that are damaged
});

step("damaged files are explained", async () => {
  const p = await openForeign("/overview?file=cut.whet", ".warnings");
  await p.page.locator(".warnings", { hasText: /truncated|incomplete|index/ }).waitFor();
  await p.close(refused);
  const q = await openForeign("/overview?file=damaged.pb.gz", ".trouble");
  assert.match(await q.page.locator(".trouble").innerText(), /damaged\.pb\.gz/);
  await q.close(refused);
  const r = await openForeign("/flame?file=labels.pb.gz", picture);
  await r.settle("labels");
  await r.close();
});

step("a million labels neither fill the page nor stop it", async () => {
  const p = await openForeign("/flame?file=keys.pb.gz", picture);
  await p.page.locator(".warnings", { hasText: "there are 1000000 labels: the 100 with the highest cost" }).waitFor();
  await p.page.getByText("Filters").click();
  assert.equal(await p.page.getByLabel("By label").locator("option").count(), 101);
  await p.settle("labels-keys");
  await accessible(p);
  await p.close();
  const q = await openForeign("/flame?file=labels.whet", picture);
  await q.page.getByText("Filters").click();
  await q.page.getByLabel("By label").selectOption("request");
  await q.page.waitForFunction(() => location.search.includes("label=request"));
  await q.page.waitForLoadState("networkidle");
  await q.page.locator(".flame-picture:not(.busy)").waitFor();
  await q.settle("labels-values");
  // One box has the number of those that are left out, the page is small, and it goes on.
  await q.page.getByRole("button", { name: "Share" }).click();
  const drawn = q.page.waitForEvent("download");
  await q.page.locator(".share-files").getByText("Save as SVG").click();
  assert.match(readFileSync(await (await drawn).path(), "utf8"), />9\d{5} smaller</);
  assert.ok(await q.page.evaluate(() => document.querySelectorAll("*").length < 3000));
  await q.page.getByLabel("Search (regexp)").fill("main.work");
  await q.page.locator(".found", { hasText: "%" }).waitFor();
  await q.page.getByRole("link", { name: "Overview" }).click();
  await q.page.locator(hot).first().waitFor();
  await q.close();
});

step("samples are kept by a label's value", async () => {
  const p = await openForeign("/flame?file=labels.whet", picture);
  await p.page.locator(".flame-filters summary").click();
  const values = p.page.getByLabel("Only with the label");
  await values.locator("optgroup option").first().waitFor({ state: "attached" });
  const [, first] = await values.locator("option").evaluateAll((all) => all.map((o) => [o.value, o.textContent]));
  const [filter, text] = first;
  assert.match(text, /^request=.+ · .*%$/);
  assert.match(filter, /^request=\d+:\d+$/);
  await values.selectOption(filter);
  await p.page.waitForFunction((f) => new URLSearchParams(location.search).get("tag") === f, filter);
  const chip = p.page.locator(".chip");
  assert.match(await chip.innerText(), /^request=\d/);
  await p.page.locator(".flame-picture:not(.busy)").waitFor();
  await p.settle("label-value");
  await accessible(p);
  await p.page.getByRole("button", { name: "Share" }).click();
  assert.match(await p.page.getByRole("dialog").innerText(), /--tag-focus request=\d/);
  await p.page.keyboard.press("Escape");
  // The next view has it, and drops it.
  await p.page.getByRole("link", { name: "Graph", exact: true }).click();
  await p.page.locator(".callgraph .node").first().waitFor();
  await p.page.getByRole("button", { name: /^Without the filter request=/ }).click();
  await p.page.waitForFunction(() => !location.search.includes("tag="));
  await p.page.goBack();
  await chip.waitFor();
  await p.page.getByRole("link", { name: "Flame", exact: true }).click();
  await p.page.getByRole("button", { name: "Show everything" }).click();
  await p.page.waitForFunction(() => !location.search.includes("tag="));
  await p.close();
});

step("what is left out of a large flame graph is loaded when it is zoomed to", async () => {
  const p = await openForeign("/flame?file=wide.pb.gz", picture);
  const boxes = async (page) => Number(await page.locator(".flame-host").getAttribute("data-boxes"));
  const before = await boxes(p.page);
  await p.page.getByLabel("Search (regexp)").fill("main.handler299$");
  await p.page.locator(".found", { hasText: "%" }).waitFor();
  await p.settle();
  await p.page.locator(picture).focus();
  await p.page.keyboard.press("n");
  await p.page.keyboard.press("Enter");
  await p.page.waitForFunction(() => /^main\.handler299~/.test(new URLSearchParams(location.search).get("below") ?? ""));
  // One box stood for 300.
  const all = before + 299;
  const whole = (n) => Number(document.querySelector(".flame-host")?.dataset["boxes"]) === n;
  await p.page.waitForFunction(whole, all);
  assert.match(await p.page.locator('.flame-path [aria-current="location"]').innerText(), /handler299/);
  await p.settle("flame-deeper");
  await accessible(p);
  // The link has it.
  await p.page.reload();
  await p.page.waitForFunction(whole, all);
  assert.match(await p.page.locator('.flame-path [aria-current="location"]').innerText(), /handler299/);
  await p.page.locator(".flame-path").getByRole("button", { name: "main.main" }).click();
  await p.page.waitForFunction(() => !location.search.includes("below=") || location.search.includes("below=main.main"));
  await p.page.getByRole("button", { name: "Show everything" }).click();
  await p.page.waitForFunction(() => !location.search.includes("below="));
  await p.page.waitForFunction(whole, before);
  await p.close();
});

step("a recording of 2 GB opens, and its parts are explained", async () => {
  const p = await openForeign("/overview?file=large.whet", hot);
  await p.page.getByRole("link", { name: "Flame", exact: true }).click();
  await p.page.locator(picture).waitFor();
  await p.close();
  const q = await openForeign("/timeline?file=large.whet", ".trouble");
  assert.match(await q.page.locator(".trouble").innerText(), /large\.whet/);
  await q.close(refused);
});

step("empty and cut files are explained in each view", async () => {
  const profile = ["overview", "flame", "graph"];
  const recording = [...profile, "timeline", "goroutines", "memory", "load"];
  const of = { "empty.whet": recording, "head.whet": recording, "empty.pb.gz": profile, "cut.trace": ["timeline"] };
  for (const [name, list] of Object.entries(of))
    for (const view of list) {
      const p = await openForeign(`/${view}?file=${name}`, ".trouble");
      const text = await p.page.locator(".trouble").first().innerText();
      assert.ok(text.includes(name) && text.length > name.length + 10, `${view} of ${name}: ${text}`);
      // The page is still there: the list, and other files.
      assert.ok(await p.page.getByRole("link", { name: "whet", exact: true }).isVisible());
      await p.close(refused);
    }
});

/** A server between the page and the one at an address, which can be stopped and started again. */
async function between(address) {
  const to = new URL(address);
  const make = () =>
    createServer((req, res) => {
      const headers = { ...req.headers, host: to.host };
      const up = request({ host: to.hostname, port: to.port, path: req.url, method: req.method, headers }, (r) => {
        res.writeHead(r.statusCode, r.headers);
        r.pipe(res);
      });
      up.on("error", () => res.destroy());
      res.on("close", () => up.destroy());
      req.pipe(up);
    });
  let server = make();
  const listen = (port) => new Promise((done) => server.listen(port, "127.0.0.1", done));
  await listen(0);
  const { port } = server.address();
  return {
    address: `http://127.0.0.1:${port}`,
    async stop() {
      const closed = new Promise((done) => server.close(done));
      server.closeAllConnections();
      await closed;
    },
    async start() {
      server = make();
      await listen(port);
    },
  };
}

step("the server goes and comes back, and nothing is lost", async () => {
  const middle = await between(address);
  const p = await journey.open(`${middle.address}/overview?file=before.whet`, { ready: hot });
  await middle.stop();
  await p.page.locator(".offline").waitFor();
  assert.ok(await p.page.locator(hot).first().isVisible(), "what was shown stays");
  await p.page.getByRole("link", { name: "Memory", exact: true }).click();
  await p.page.locator(".trouble").waitFor();
  await middle.start();
  await p.page.locator(".offline").waitFor({ state: "detached" });
  await p.page.locator(".memory-bar").waitFor(); // by itself
  await p.page.goBack();
  await p.page.locator(hot).first().waitFor();
  await p.close(/Failed to load resource|ERR_/);
  // Lines that are watched live go on by themselves.
  const q = await journey.open(`${middle.address}/`, { ready: ".record form" });
  await q.page.getByRole("link", { name: "Watch its lines live" }).click();
  await q.page.locator(".live-table").waitFor();
  await middle.stop();
  await q.page.locator(".offline").waitFor();
  assert.ok(await q.page.locator(".live-table tbody tr").first().isVisible(), "what was shown stays");
  await middle.start();
  await q.page.locator(".offline").waitFor({ state: "detached" });
  const since = await q.page.locator(".live-page .quiet").first().innerText();
  await q.page.waitForFunction((was) => document.querySelector(".live-page .quiet").innerText !== was, since);
  await q.close(/Failed to load resource|ERR_/);
  await middle.stop();
});

step("a slow network shows what is loading, and the last choice", async () => {
  const p = await open("/overview?file=before.whet", hot);
  const cdp = await p.page.context().newCDPSession(p.page);
  await cdp.send("Network.enable");
  const slow = { offline: false, latency: 400, downloadThroughput: 40_000, uploadThroughput: 20_000 };
  await cdp.send("Network.emulateNetworkConditions", slow);
  await p.page.getByRole("link", { name: "Flame", exact: true }).click();
  await p.page.getByText("Loading…").first().waitFor();
  await p.page.locator(picture).waitFor();
  // Two choices in a row: the second one is shown, whichever answer comes first.
  const type = p.page.getByLabel("Sample type");
  await type.selectOption("allocs:alloc_space");
  await type.selectOption("cpu:cpu");
  await p.page.waitForSelector('.flame-host[data-type="cpu"]');
  await p.page.waitForLoadState("networkidle");
  assert.equal(await p.page.locator(".flame-host").getAttribute("data-type"), "cpu");
  await p.close();
});

step("two tabs do not disturb each other", async () => {
  const p = await open("/", ".record form");
  const other = await p.page.context().newPage();
  await other.goto(`${address}/flame?file=before.whet`);
  await other.locator(picture).waitFor();
  const live = await p.page.getByRole("link", { name: "Watch its lines live" }).getAttribute("href");
  await p.page.goto(address + live);
  await p.page.locator(".live-table").waitFor();
  await other.goto(address + live);
  await other.locator(".live-table").waitFor();
  // One ends; the other one goes on.
  await p.page.goto(`${address}/overview?file=after.whet`);
  await p.page.locator(hot).first().waitFor();
  const since = await other.locator(".live-page .quiet").first().innerText();
  await other.waitForFunction((was) => document.querySelector(".live-page .quiet").innerText !== was, since);
  assert.equal(await other.locator(".trouble").count(), 0);
  // A language that is chosen in one is the other's at its next visit.
  await p.page.getByLabel("Language").selectOption("ru");
  await other.goto(`${address}/overview?file=after.whet`);
  await other.getByRole("link", { name: "Обзор" }).waitFor();
  await p.page.getByLabel("Язык").selectOption("en");
  await p.close();
});

step("the timeline is in Russian and Chinese", async () => {
  const texts = english("timeline");
  for (const locale of ["ru", "zh"]) {
    const p = await open(views.timeline[0], views.timeline[1], { locale, viewport: { width: 1280, height: 800 } });
    await p.page.waitForSelector("main[data-ready]");
    const shown = await p.page.evaluate(() =>
      [...document.querySelectorAll("#content button:not(.name), #content .section .toggle, #content option, footer span")]
        .flatMap((e) => [e.textContent, e.title, e.ariaLabel])
        .filter((x) => /[A-Za-z]{3}/.test(x ?? "")),
    );
    assert.deepEqual(shown.filter((x) => x !== "MMU" && texts.some((r) => r.test(x))), [], locale);
    await p.close();
  }
});

step("Back and Forward restore each view", async () => {
  const p = await open("/overview?file=before.whet", hot);
  const visited = [];
  const at = async (ready) => {
    await p.page.locator(ready).first().waitFor();
    visited.push(await p.page.evaluate(() => location.href));
  };
  await at(hot);
  await p.page.getByRole("link", { name: "Flame", exact: true }).click();
  await at(picture);
  await p.page.getByLabel("Sample type").selectOption("allocs:alloc_space");
  await at('.flame-host[data-type="alloc_space"]');
  await p.page.getByRole("link", { name: "Graph", exact: true }).click();
  await at(".callgraph .node");
  await p.page.getByRole("link", { name: "Timeline", exact: true }).click(); // a separate document
  await at(".lanes .name");
  const ready = [hot, '.flame-host[data-type="cpu"]', '.flame-host[data-type="alloc_space"]', ".callgraph .node"];
  for (let i = 3; i >= 0; i--) {
    await p.page.goBack();
    await p.page.locator(ready[i]).first().waitFor();
    assert.equal(await p.page.evaluate(() => location.href), visited[i]);
  }
  for (let i = 1; i < 5; i++) {
    await p.page.goForward();
    await p.page.locator(ready[i] ?? ".lanes .name").first().waitFor();
    assert.equal(await p.page.evaluate(() => location.href), visited[i]);
  }
  await p.close();
});

step("a token opens the pages", async () => {
  const p = await journey.open(locked, { ready: ".login form" });
  assert.equal(await p.page.locator("header").count(), 0, "the document's header is left");
  await journey.everySize(p, "login", accessible);
  await p.page.setViewportSize({ width: 1280, height: 800 });
  await p.page.getByLabel("Token").fill("wrong token, long enough");
  await p.page.getByRole("button", { name: "Log in" }).click();
  await p.page.locator(".trouble").waitFor();
  await accessible(p);
  await p.page.getByLabel("Token").fill("journey".repeat(3));
  await p.page.getByRole("button", { name: "Log in" }).click();
  await p.page.locator(".hub-row").first().waitFor();
  await p.page.reload();
  await p.page.locator(".hub-row").first().waitFor();
  assert.equal(await p.page.evaluate(() => document.cookie), "", "scripts cannot read the cookie");
  await p.close(/status of 401/); // before the login
});

step("a phone shows twenty rows", async () => {
  const p = await open("/flame?file=before.whet", picture, { viewport: { width: 360, height: 740 } });
  for (const [width, height] of [
    [360, 740],
    [390, 844],
  ]) {
    await p.page.setViewportSize({ width, height });
    await p.settle();
    const high = await p.page.locator(".flame-host .graph").evaluate((g) => g.clientHeight);
    assert.ok(high / 20 >= 20, `${high / 20} rows in ${width} by ${height}`);
  }
  await p.page.getByRole("button", { name: "Own lines", exact: true }).first().click();
  await p.page.locator(".virtual-row").first().click();
  await p.page.locator(".src-line.here").waitFor();
  await p.settle("phone-source");
  await accessible(p);
  await p.close();
});

step("the timeline waits for a server that is gone, and then has everything", async () => {
  const middle = await between(address);
  const p = await journey.open(`${middle.address}/timeline?file=before.whet`, { ready: ".lanes .name" });
  await p.page.waitForSelector("main[data-ready]");
  const status = p.page.locator("footer .status");
  const asked = new Map();
  const began = Date.now();
  p.page.on("request", (r) => asked.set(r.url(), (asked.get(r.url()) ?? 0) + 1));
  await middle.stop();
  // Other rows, what they do in another window, and their marks are missing now.
  const section = p.page.locator('.section[data-type="goroutine"]');
  await section.getByRole("combobox").selectOption("time");
  await p.page.locator(".lanes canvas").focus();
  for (let i = 0; i < 12; i++) await p.page.keyboard.press("w");
  await status.getByText(/^The server does not answer/).waitFor();
  const lost = (u) => u.includes("/api/v1/timeline/");
  await p.page.waitForEvent("requestfailed", (r) => lost(r.url()) && asked.get(r.url()) > 1);
  // Each request is repeated, but not without a pause of two seconds.
  for (const [u, n] of asked)
    if (lost(u)) assert.ok(n <= 2 + (Date.now() - began) / 2000, `${n} requests of ${u}`);
  const rows = p.page.waitForResponse((r) => r.ok() && /timeline\/rows\?.*order=time/.test(r.url()));
  // Marks are lost unless those of all rows in view have been loaded before.
  const lostMarks = [...asked.keys()].some((u) => /timeline\/marks/.test(u));
  const marks = lostMarks && p.page.waitForResponse((r) => r.ok() && /timeline\/marks/.test(r.url()));
  await middle.start();
  await rows;
  await marks;
  await status.getByText(/^\d.* from /).waitFor();
  await p.page.waitForSelector("main[data-ready]");
  await p.close(/Failed to load resource|ERR_/);
  // A server that refuses is not asked in each frame, but again after a pause.
  const q = await journey.open(`${middle.address}/timeline?file=before.whet`, { ready: ".lanes .name" });
  await q.page.waitForSelector("main[data-ready]");
  const refusals = new Map();
  await q.page.route(/timeline\/spans/, (r) => {
    refusals.set(r.request().url(), (refusals.get(r.request().url()) ?? 0) + 1);
    return r.fulfill({ status: 503, json: { detail: "busy with <b>others</b>" } });
  });
  const since = Date.now();
  await q.page.locator(".lanes canvas").focus();
  for (let i = 0; i < 12; i++) await q.page.keyboard.press("w");
  await q.page.locator("footer .status").getByText("No answer: busy with <b>others</b>").waitFor();
  await q.page.waitForRequest((r) => refusals.get(r.url()) > 0);
  for (const [u, n] of refusals) assert.ok(n <= 2 + (Date.now() - since) / 3000, `${n} requests of ${u}`);
  await q.page.unroute(/timeline\/spans/);
  await q.page.locator("footer .status").getByText(/^\d.* from /).waitFor();
  await q.page.waitForSelector("main[data-ready]");
  await q.close(/status of 503/);
  await middle.stop();
});

step("the next view has the same filters and the same function", async () => {
  const p = await open("/flame?file=after.whet&focus=joinQuickly&type=cpu:cpu", picture);
  const tab = (name) => p.page.getByRole("link", { name, exact: true });
  await p.page.locator(".virtual-row", { hasText: "joinQuickly" }).first().click();
  await p.page.locator(".src-line.here").waitFor();
  const fn = await p.page.evaluate(() => new URLSearchParams(location.search).get("src"));
  assert.match(fn, /joinQuickly$/);
  // The graph shows which filters there are, and its box is that function.
  await tab("Graph").click();
  await p.page.locator(".callgraph .node.picked").waitFor();
  assert.equal(await p.page.getByLabel("Keep samples with a frame that matches").inputValue(), "joinQuickly");
  const other = p.page.locator(".callgraph .node", { hasText: /readRequest|findRunnable|gcBgMarkWorker/ }); // one of them costs
  assert.equal(await other.count(), 0);
  await p.page.getByLabel("Find a box").fill("concat");
  await p.page.waitForFunction(() => location.search.includes("q=concat"));
  await p.page.reload();
  await p.page.locator(".callgraph .node").first().waitFor();
  assert.equal(await p.page.getByLabel("Find a box").inputValue(), "concat");
  // A comparison has the figures of what the filters keep.
  await tab("Compare").click();
  await p.page.getByRole("link", { name: "before.whet" }).click();
  const rows = p.page.locator(".diff-table tbody tr");
  await p.page.getByLabel("Hide what is within the noise").uncheck();
  await rows.first().waitFor();
  await p.page.waitForFunction(() => {
    const names = [...document.querySelectorAll(".diff-table tbody th a")].map((a) => a.textContent);
    return names.length > 0 && !names.some((n) => n.includes("joinSlowly"));
  });
  assert.match(await p.page.locator('.diff-table tr[aria-current="true"]').first().innerText(), /joinQuickly/);
  await p.page.getByRole("button", { name: "Share" }).click();
  assert.match(await p.page.getByRole("dialog").innerText(), /whet diff --type cpu:cpu --focus joinQuickly before\.whet after\.whet/);
  await p.page.keyboard.press("Escape");
  await p.settle("compare-filters");
  await accessible(p);
  // Its order is in the address.
  await p.page.getByRole("button", { name: "Where" }).click();
  await p.page.waitForFunction(() => location.search.includes("sort=name"));
  await p.page.reload();
  await p.page.locator('.diff-table th[aria-sort="ascending"]').waitFor();
  await p.page.getByRole("button", { name: "Clear filters" }).click();
  await p.page.locator(".diff-table tbody th a", { hasText: "joinSlowly" }).first().waitFor();
  assert.ok(!new URL(p.page.url()).searchParams.has("focus"));
  // The graph without filters has what does not call the function.
  await p.page.goto(`${address}/graph?file=after.whet&focus=joinQuickly&type=cpu:cpu`);
  await p.page.getByRole("button", { name: "Clear filters" }).click();
  await other.first().waitFor();
  await p.close();
});

step("all views keep what is looked at", async () => {
  const p = await open("/flame?file=after.whet&type=allocs:alloc_space&focus=joinQuickly", picture);
  const tab = (name) => p.page.locator("nav.tabs").getByRole("link", { name, exact: true }).click();
  const has = (want) =>
    p.page.waitForFunction((all) => {
      const q = new URLSearchParams(location.search);
      return Object.entries(all).every(([k, v]) => (q.get(k) ?? "").endsWith(v));
    }, want);
  const all = { type: "allocs:alloc_space", focus: "joinQuickly", src: "joinQuickly" };
  // Filters alone are something to show everything of.
  assert.ok(await p.page.getByRole("button", { name: "Show everything" }).isEnabled());
  await p.page.locator(".virtual-row", { hasText: "joinQuickly" }).first().click();
  await has(all);
  await tab("Lines over time");
  await has(all);
  const row = p.page.locator(".over-time tbody tr", { hasText: "joinQuickly" });
  await row.first().waitFor();
  assert.equal(await p.page.locator(".over-time tbody tr", { hasText: "joinSlowly" }).count(), 0);
  assert.equal(await p.page.getByLabel("Sample type").inputValue(), "allocs:alloc_space");
  assert.equal(await p.page.getByLabel("Keep samples with a frame that matches").inputValue(), "joinQuickly");
  await p.settle("series-filters");
  await accessible(p);
  await tab("Memory");
  await has(all);
  await tab("Goroutines");
  await has(all);
  assert.equal(await p.page.getByLabel("Function, file or creator (regexp)").inputValue(), "joinQuickly");
  await p.page.getByRole("button", { name: /^Only with .*joinQuickly/ }).click();
  await has({ ...all, focus: "joinQuickly$" });
  await p.page.getByLabel("Function, file or creator (regexp)").fill("");
  await p.page.keyboard.press("Enter");
  await has({ focus: "" });
  // The goroutines of a group are found in the timeline, and the way back has their function.
  const traced = await p.page.evaluate(async () => {
    const { rows } = await (await fetch("/api/v1/timeline/rows?file=after.whet&type=goroutine&limit=1000")).json();
    return rows.map((r) => r.kind);
  });
  const links = p.page.getByRole("link", { name: "In the timeline" });
  await links.first().waitFor();
  const first = await links.evaluateAll((all) => all.map((a) => new URLSearchParams(a.search).get("src")));
  const at = first.findIndex((f) => traced.includes(f));
  assert.ok(at >= 0, `${first} in ${traced}`);
  const name = first[at];
  await links.nth(at).click();
  await p.page.getByLabel("Search goroutines by a regular expression").waitFor();
  assert.equal(await p.page.getByLabel("Search goroutines by a regular expression").inputValue(), `^${name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}$`);
  await p.settle("timeline-goroutines");
  await p.page.keyboard.press("Control+k");
  await p.page.getByRole("combobox", { name: /View, file/ }).fill("flame");
  await p.page.keyboard.press("Enter");
  await p.page.locator(picture).waitFor();
  await has({ src: name });
  // Nothing is left after that.
  await p.page.getByRole("button", { name: "Show everything" }).click();
  await has({ src: "" });
  await p.page.goto(`${address}/flame?file=after.whet&focus=joinQuickly`);
  await p.page.getByRole("button", { name: "Show everything" }).click();
  await p.page.waitForFunction(() => !location.search.includes("focus="));
  assert.ok(await p.page.getByRole("button", { name: "Show everything" }).isDisabled());
  await p.close();
});

step("the loads of two recordings, and two results of loads, are overlaid", async () => {
  const p = await open("/compare?file=after.whet&base=before.whet", ".diff-table");
  await p.page.getByRole("link", { name: "Load of both" }).click();
  await p.page.waitForURL(/\/load\?file=after\.whet&base=before\.whet/);
  await p.page.locator("main[data-ready]").waitFor();
  await p.page.goto(address);
  const picks = (name) => p.page.getByRole("checkbox", { name: new RegExp(name.replace(".", "\\.")) });
  const button = p.page.locator(".hub-bar .primary");
  await picks("first-load.json").check();
  assert.ok(await button.isDisabled());
  await picks("second-load.json").check();
  await button.click();
  await p.page.waitForURL(/\/load\?file=\w+-load\.json&base=\w+-load\.json/);
  await p.page.locator("main[data-ready]").waitFor();
  await p.page.locator("main").getByText("first-load.json").first().waitFor();
  await p.close();
});

step("the frames of a timeline lead to their source", async () => {
  const p = await open("/timeline?file=before.whet", ".lanes .name");
  await p.page.waitForSelector("main[data-ready]");
  // The longest spans of a goroutine that ran own code have stacks.
  await p.page.locator(".lanes canvas").focus();
  const frame = p.page.locator(".details .stack a.name").first();
  for (let i = 0; i < 60 && (await frame.count()) === 0; i++) {
    await p.page.keyboard.press(i % 4 === 3 ? "ArrowDown" : "ArrowRight");
    await p.settle();
  }
  const name = await frame.innerText();
  await accessible(p);
  await frame.click();
  await p.page.waitForURL(/\/flame\?file=before\.whet&src=/);
  assert.ok(new URL(p.page.url()).searchParams.get("src").endsWith(name.replace(/^.*\//, "")), name);
  await p.page.locator(picture).waitFor();
  await p.close(refused); // a function that cost no CPU time has no lines, which the page explains
});

journey.inAllSizes(views, open, accessible);

/** What a document says by itself: names of controls, charts and tables, but nothing that its file has. */
function ownWords(p) {
  return p.page.evaluate(() => {
    const parts = [
      "h2, caption, summary, option, .choice button, .toolbar label span, .u-label, .live, .reading, .lane-table th",
      ".grid .half > .about, .grid .wide > .about, .commits .about, .grid thead th, .lists thead th, .changes thead th",
      ".commits thead th, .commits button, .benchmark figcaption, .verdict-word, dialog p, dialog td, dialog button",
      "details.about, section.verdict > p:first-child",
    ];
    const main = document.querySelector("main.page");
    const all = (selector) => [...main.querySelectorAll(selector)];
    const named = ["aria-label", "title", "placeholder"].flatMap((name) =>
      all(`[${name}]`).map((e) => e.getAttribute(name)),
    );
    return [...named, ...all(parts.join(", ")).map((e) => e.textContent)].map((s) => s.trim()).filter(Boolean);
  });
}

/** English of the pages of loads and benchmarks: parts of sentences, and words that stand alone. */
const chartEnglish = new RegExp(
  [
    "Arrow keys|arrow keys|as a table|of \\d+ points|Latency by|Distribution of|Errors and status|Latency over",
    "Answers|of the answers|99th percentile|Filter by|all units|by significance|by change|by name|as measured",
    "How to read|Points are|measurements?\\b|median|confidence|of \\d+ (results|benchmarks|series)|No matching",
    "Show \\d+|Show these|along \\d+ commits|newest first|No change\\.|Results of|compared with|Compared with",
    "to distrust|No request was|too few answers|the intervals of|not measured|Changed: |this help|Each chart|A link to|go from commit",
    "^(latency|percentile|share|up to|time|rate|max|answers|failed|Rate|Latency|Verdict|Summary|Unit|Order|Show)$",
    "^(All|Changed|Worse|Better|unit|order|side|change|benchmarks?|verdict|commit|Commit|before|after|low|high)$",
    "^(interval|subject|Close|better|worse|changed|\\d+ (results|series))$",
  ].join("|"),
);

step("loads and benchmarks are in Russian and Chinese", async () => {
  const drawn = ".grid .plot canvas";
  const pages = [
    ["load", "/load?file=before.whet", drawn, { ru: "Задержка по перцентилям", zh: "延迟百分位" }],
    [
      "loads",
      "/load?file=first-load.json&base=second-load.json",
      drawn,
      { ru: "Задержка во времени", zh: "延迟随时间变化" },
    ],
    ["bench", "/bench?file=bench.txt", ".picture", { ru: "Фильтр по имени", zh: "按名称筛选" }],
    ["compared", "/bench?file=compared.json", ".picture", { ru: "Как читать эту страницу", zh: "如何阅读此页面" }],
    ["along", "/bench?file=along.json", ".series .plot", { ru: "Изменения, сначала новые", zh: "变化，从新到旧" }],
  ];
  for (const locale of ["ru", "zh"])
    for (const [name, path, ready, wanted] of pages) {
      const p = await open(path, "main[data-ready]", { locale, viewport: { width: 390, height: 844 } });
      await p.page.locator(ready).first().waitFor();
      assert.equal(await p.page.evaluate(() => document.documentElement.lang), locale);
      // The results of a commit, all tables, and a point that is read out.
      if (name === "along") {
        await p.page.locator("tr.commit a").first().click();
        await p.page.locator(".commits table").waitFor();
        await p.page.locator(".commits .bad", { hasText: { ru: "хуже", zh: "变差" }[locale] }).first().waitFor();
      }
      for (const s of await p.page.locator("main.page details > summary").all()) await s.click();
      const chart = p.page.locator(".plot, .picture").first();
      await chart.scrollIntoViewIfNeeded();
      await chart.locator("canvas").first().waitFor();
      await p.settle();
      await chart.focus();
      await p.page.keyboard.press("ArrowRight");
      await p.page.waitForFunction(() => document.querySelector("main.page .live").textContent !== "");
      await p.settle(`${name}-texts-${locale}`);
      const words = await ownWords(p);
      const own = { ru: /[а-яё]/i, zh: /\p{Script=Han}/u }[locale];
      assert.ok(words.filter((s) => own.test(s)).length > 10, `${path}: ${words.join(" | ")}`);
      assert.ok(words.includes(wanted[locale]), `${path}: ${words.join(" | ")}`);
      assert.deepEqual(words.filter((s) => chartEnglish.test(s)), [], `${path} in ${locale}`);
      // Neither the window nor what scrolls in it is wider than a phone.
      const wide = await p.page.evaluate(() => {
        const page = document.getElementById("content");
        return [document.documentElement.scrollWidth - innerWidth, page.scrollWidth - page.clientWidth];
      });
      assert.ok(wide.every((n) => n <= 0), `${path} in ${locale} is too wide by ${wide} px`);
      await p.close();
    }
});

await journey.walk();
