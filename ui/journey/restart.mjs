// Kills whet ui while its pages are open, and starts it again, in a real browser.
//
//   node journey/restart.mjs DIR [SHOTS]
//
// DIR holds the paths of whet and of a directory with two recordings, and the address of a service to record, from the
// Go test TestJourneyRestart of internal/server/workbench. Exit code 77 means: no browser here.
import { spawn } from "node:child_process";
import { createServer } from "node:net";
import { copyFileSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import assert from "node:assert/strict";
import { start } from "./browser.mjs";

const journey = await start({ height: 800, pause: 250 });
const { step } = journey;
const read = (name) => readFileSync(join(journey.dir, `${name}.html`), "utf8").trim();
const [program, recordings, target] = ["program", "recordings", "target"].map(read);

/** A port that is free. */
function freePort() {
  return new Promise((done) => {
    const s = createServer().listen(0, "127.0.0.1", () => {
      const { port } = s.address();
      s.close(() => done(port));
    });
  });
}

/** whet ui at a port; it ends with the journey. */
async function whetUI(port) {
  const args = ["ui", recordings, "--http", `127.0.0.1:${port}`, "--open=false", "--target", target];
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] });
  const gone = new Promise((done) => child.once("exit", done));
  const end = () => child.kill("SIGKILL");
  process.once("exit", end);
  let said = "";
  await new Promise((done, fail) => {
    const hear = (data) => {
      said += data;
      if (said.includes(`:${port}`)) done();
    };
    child.stdout.on("data", hear);
    child.stderr.on("data", hear);
    gone.then(() => fail(new Error(`whet ui ended: ${said}`)));
  });
  return {
    async kill() {
      process.off("exit", end);
      end();
      await gone;
    },
  };
}

const hot = ".line-row";
const picture = ".flame-host .graph canvas";
/** What the console says of requests that a server did not answer. */
const unanswered = /Failed to load resource|ERR_|Failed to fetch dynamically imported module/;

step("a file that another program writes is listed without a reload", async () => {
  const port = await freePort();
  const server = await whetUI(port);
  const p = await journey.open(`http://127.0.0.1:${port}/`, { ready: ".hub-row" });
  await p.page.evaluate(() => (window.same = true));
  const late = join(recordings, "late.whet");
  const row = p.page.locator(".hub-row", { hasText: "late.whet" });
  assert.equal(await row.count(), 0);
  copyFileSync(join(recordings, readdirSync(recordings).find((name) => name.endsWith(".whet"))), late);
  try {
    await row.waitFor();
    await row.locator(".hot-line").first().waitFor();
  } finally {
    rmSync(late);
  }
  await row.waitFor({ state: "detached" });
  assert.equal(await p.page.evaluate(() => window.same), true, "the page was loaded again");
  await p.close();
  await server.kill();
});

step("whet ui is killed and started again, and no view is lost", async () => {
  const port = await freePort();
  const address = `http://127.0.0.1:${port}`;
  let server = await whetUI(port);
  const views = {
    hub: ["/?q=fter", ".hub-row .hot-line"],
    overview: ["/overview?file=before.whet", hot],
    flame: ["/flame?file=before.whet&focus=joinSlowly&view=up&q=Itoa", picture],
    graph: ["/graph?file=before.whet&q=concat", ".callgraph .node"],
    compare: ["/compare?file=after.whet&base=before.whet&sort=name", ".diff-table"],
    goroutines: ["/goroutines?file=before.whet&focus=Accept", ".group"],
    memory: ["/memory?file=before.whet", ".memory-bar"],
    load: ["/load?file=before.whet", "main[data-ready]"],
    timeline: ["/timeline?file=before.whet#t=1000000-9000000", "main[data-ready]"],
  };
  const open = {};
  for (const [name, [path, ready]] of Object.entries(views)) {
    const p = await journey.open(address + path, { ready });
    await p.page.waitForLoadState("networkidle").catch(() => undefined);
    open[name] = { ...p, ready, at: await p.page.evaluate(() => location.href) };
  }
  const flame = await journey.open(`${address}/flame?file=after.whet`, { ready: picture });
  const later = await journey.open(`${address}/overview?file=after.whet`, { ready: hot });
  await server.kill();
  for (const [name, p] of Object.entries(open)) {
    await p.page.locator(".offline", { hasText: "The server does not answer" }).waitFor();
    assert.ok(await p.page.locator(p.ready).first().isVisible(), `${name}: what was shown stays`);
    assert.equal(await p.page.evaluate(() => location.href), p.at, name);
  }
  await open.overview.settle("restart-gone");
  // What is opened now says why it is not there: a view whose script is known, and one whose is not.
  await flame.page.getByLabel("Sample type").selectOption("allocs:alloc_space");
  await flame.page.locator(".trouble", { hasText: "This view loads by itself when the server is back." }).first().waitFor();
  await later.page.getByRole("link", { name: "Memory", exact: true }).click();
  const trouble = later.page.locator(".trouble");
  await trouble.getByText("The server does not answer.").waitFor();
  assert.ok(!/fetch|Error/.test(await trouble.innerText()), await trouble.innerText());
  await later.settle("restart-later");

  server = await whetUI(port);
  for (const [name, p] of Object.entries(open)) {
    await p.page.locator(".offline").waitFor({ state: "detached" });
    assert.ok(await p.page.locator(p.ready).first().isVisible(), name);
    assert.equal(await p.page.evaluate(() => location.href), p.at, `${name} is where it was`);
    assert.equal(await p.page.locator(".trouble:visible").count(), 0, name);
  }
  // What could not be loaded comes by itself, with the choice that was made.
  await flame.page.waitForSelector('.flame-host[data-type="alloc_space"]');
  assert.equal(await flame.page.locator(".trouble").count(), 0);
  await later.page.locator(".memory-bar").waitFor();
  assert.match(later.page.url(), /\/memory\?file=after\.whet/);
  // All go on.
  await open.flame.page.getByRole("button", { name: "Show everything" }).click();
  await open.flame.page.waitForFunction(() => !location.search.includes("focus="));
  await open.flame.page.locator(".virtual-row").first().click();
  await open.flame.page.locator(".src-line.here").waitFor();
  const status = open.timeline.page.locator("footer .status");
  await open.timeline.page.locator(".lanes canvas").focus();
  for (let i = 0; i < 6; i++) await open.timeline.page.keyboard.press("w");
  await open.timeline.settle();
  await open.timeline.page.waitForSelector("main[data-ready]");
  await status.getByText(/^\d.* from /).waitFor();
  await open.hub.page.getByLabel("Filter by name").fill("before");
  await open.hub.page.locator(".hub-row", { hasText: "before.whet" }).waitFor();
  for (const p of [...Object.values(open), flame, later]) await p.close(unanswered);
  await server.kill();
});

step("a job of a server that was killed is explained", async () => {
  const port = await freePort();
  let server = await whetUI(port);
  const p = await journey.open(`http://127.0.0.1:${port}/`, { ready: ".record form" });
  await p.page.getByLabel("Duration").fill("60s");
  await p.page.getByRole("button", { name: "Record", exact: true }).click();
  await p.page.locator(".job-running progress[value]").waitFor();
  await server.kill();
  await p.page.locator(".offline").waitFor();
  server = await whetUI(port);
  await p.page.locator(".offline").waitFor({ state: "detached" });
  const job = p.page.locator(".job-failed");
  await job.getByText("The server was started again and no longer knows this job.").waitFor();
  assert.equal(await job.getByRole("button").count(), 0);
  await p.settle("restart-job");
  // Another one can be recorded.
  await p.page.getByLabel("Duration").fill("2s");
  await p.page.getByLabel("Trace", { exact: true }).fill("0s");
  await p.page.getByRole("button", { name: "Record", exact: true }).click();
  await p.page.locator(".job-done").getByRole("link", { name: /^Open recording-/ }).waitFor();
  await p.close(new RegExp(`${unanswered.source}|status of 404`));
  await server.kill();
});

await journey.walk();
