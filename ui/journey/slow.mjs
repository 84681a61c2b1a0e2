// Waits for answers that take long, as a user would, in a real browser.
//
//   node journey/slow.mjs DIR [SHOTS]
//
// DIR holds the address of a server with the recording a.whet, from the Go test TestJourneySlow of
// internal/server/workbench. The page gets the jobs and events that the server answers with when it is slow.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import assert from "node:assert/strict";
import { start } from "./browser.mjs";

const journey = await start({ height: 800, pause: 250 });
const { step } = journey;
const address = readFileSync(join(journey.dir, "address.html"), "utf8").trim();

/** Answers requests with a job until it has ended. The job has the progress and, once canceled, says so. */
async function slow(page, pattern, kind) {
  const job = { id: "77", kind, title: `${kind} of a.whet`, command: null, state: "running", attached: true };
  const as = { canceled: false, done: false, asked: 0 };
  const event = (number, e) => `id: ${number}\ndata: ${JSON.stringify({ number, ...e })}\n\n`;
  await page.route(pattern, async (r) => {
    as.asked++;
    assert.match((await r.request().allHeaders()).prefer, /respond-async/);
    if (as.done) return r.continue();
    return r.fulfill({ status: 202, json: job });
  });
  await page.route(/jobs\/77\/events/, async (r) => {
    const text = "trace: 1203456 events, 2.35s of it …";
    const end = as.canceled ? "canceled" : as.done ? "done" : "";
    const body = `retry: 200\n${event(1, { text, done: 0.4 })}${end ? event(2, { job: { ...job, state: end } }) : ""}`;
    return r.fulfill({ status: 200, contentType: "text/event-stream", body });
  });
  await page.route(/jobs\/77\/cancel/, (r) => {
    as.canceled = true;
    return r.fulfill({ status: 200, json: job });
  });
  return as;
}

for (const [width, scheme] of [
  [1280, "light"],
  [1280, "dark"],
  [390, "light"],
  [390, "dark"],
])
  step(`a timeline that is being indexed says how far it is, ${width} ${scheme}`, async () => {
    const p = await journey.open(`${address}/`, { ready: "main", viewport: { width, height: 844 }, colorScheme: scheme });
    const as = await slow(p.page, /timeline\/trace/, "timeline");
    await p.page.goto(`${address}/timeline?file=a.whet`);
    const work = p.page.getByRole("region", { name: "Indexing the trace" });
    await work.getByText("1203456 events").waitFor();
    assert.equal(await work.locator("progress").getAttribute("value"), "0.4");
    await p.settle(`indexing-${width}-${scheme}`);
    await p.accessible();
    await work.getByRole("button", { name: "Cancel" }).click();
    await p.page.getByRole("alert").getByText("This was canceled.").waitFor();
    await work.waitFor({ state: "detached" });
    // Again, and this time until its end.
    as.canceled = false;
    await p.page.getByRole("button", { name: "Try again" }).click();
    await work.getByText("1203456 events").waitFor();
    as.done = true;
    await p.page.locator("main[data-ready]").waitFor();
    assert.equal(await work.count(), 0);
    await p.close();
  });

step("a page that is being saved says how far it is, and is saved", async () => {
  const p = await journey.open(`${address}/overview?file=a.whet`, { ready: ".line-row" });
  const as = await slow(p.page, /api\/v1\/saved/, "saved");
  const start = async () => {
    await p.page.getByRole("button", { name: "Share" }).click();
    await p.page.locator(".share-files").getByText("Save the recording as one HTML file").click();
  };
  await start();
  const work = p.page.getByRole("region", { name: "Writing the page" });
  await work.waitFor();
  await p.settle("saving");
  await work.getByRole("button", { name: "Cancel" }).click();
  await p.page.getByRole("status").getByText("This was canceled.").waitFor();
  as.canceled = false;
  await start();
  await work.waitFor();
  const file = p.page.waitForEvent("download");
  as.done = true;
  const saved = await file;
  assert.equal(saved.suggestedFilename(), "a.whet.html");
  assert.match(readFileSync(await saved.path(), "utf8").slice(0, 500), /content="whet ui"/);
  await work.waitFor({ state: "detached" });
  await p.close();
});

step("a job that the server does not know any more is asked for again", async () => {
  const p = await journey.open(`${address}/`, { ready: "main" });
  let asked = 0;
  await p.page.route(/timeline\/trace/, (r) => {
    if (asked++ > 0) return r.continue();
    const job = { id: "99", kind: "timeline", title: "timeline of a.whet", command: null, state: "running" };
    return r.fulfill({ status: 202, json: job });
  });
  await p.page.goto(`${address}/timeline?file=a.whet`);
  await p.page.locator("main[data-ready]").waitFor();
  assert.equal(asked, 2);
  await p.close(/status of 404/);
});

step("the source has the compiler's notes without a search for causes", async () => {
  const source = "/flame?file=a.whet&src=main.handle&line=23&tab=source";
  for (const [width, colorScheme] of [
    [1280, "light"],
    [390, "dark"],
  ]) {
    const viewport = { width, height: 844 };
    const p = await journey.open(address + source, { ready: ".src-line.here", viewport, colorScheme });
    await p.page.locator(".src-more .said-note", { hasText: "escapes to heap" }).first().waitFor();
    await p.page.locator(".said-note", { hasText: /not inlined: function too complex/ }).waitFor();
    assert.equal(await p.page.locator(".src-notes").count(), 0);
    assert.equal(await p.page.locator(".work").count(), 0);
    await p.settle(`notes-${width}-${colorScheme}`);
    await p.accessible();
    await p.close();
  }
  // What the server says instead is there with the source.
  const p = await journey.open(`${address}/`, { ready: "main" });
  await p.page.route(/api\/v1\/notes/, (r) =>
    r.fulfill({ status: 422, json: { detail: "main.go has changed <b>since</b> the recording", status: 422 } }),
  );
  await p.page.goto(address + source);
  await p.page.getByText("No notes of the compiler: main.go has changed <b>since</b> the recording").waitFor();
  await p.page.locator(".src-line.here").waitFor();
  await p.close(/status of 422/);
});

await journey.walk();
