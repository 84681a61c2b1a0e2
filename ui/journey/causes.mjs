// Finds out why a service is slow, as a user would, in a real browser.
//
//   node journey/causes.mjs DIR [SHOTS]
//
// DIR holds the address of a server that has the recording of a service with a lock that is held too
// long and goroutines that never end, from the Go test TestJourneyCauses of internal/server/workbench.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import assert from "node:assert/strict";
import { start } from "./browser.mjs";

const journey = await start({ height: 800, pause: 250 });
const { step } = journey;
const address = readFileSync(join(journey.dir, "address.html"), "utf8").trim();
const open = (path, ready) => journey.open(address + path, { ready });

step("why was this request slow", async () => {
  const p = await open("/overview?file=ledger.whet", ".line-row");
  await p.page.getByRole("link", { name: "Timeline", exact: true }).click();
  await p.page.waitForSelector("main[data-ready]");
  // Which requests are slow, and what for: the slowest ones of this handler wait for a lock.
  const handler = p.page.locator(".classes tr", { hasText: "balance" });
  assert.match(await handler.locator("td").last().innerText(), /^lock (9\d|100)/);
  await handler.getByRole("button").click();
  const request = p.page.locator(".lanes .name[data-id^=r]").first(); // the slowest one is first
  await request.and(p.page.getByTitle(/balance$/)).click();
  const details = p.page.locator("aside.details");
  await details.getByRole("heading", { name: /^request \d+$/ }).waitFor();
  await details.getByRole("button", { name: "Zoom to it" }).click();
  await p.settle("request");
  assert.match(await details.locator("tbody").nth(1).innerText(), /^sync/); // most of its time
  await details.getByRole("button", { name: "Close" }).click();
  // Where it waits for the lock, and who had it.
  await p.settle();
  const name = await request.boundingBox();
  const canvas = await p.page.locator(".lanes canvas").boundingBox();
  await p.page.mouse.click((name.x + name.width + canvas.x + canvas.width) / 2, name.y + name.height / 2);
  await details.getByRole("heading", { name: "Stack", exact: true }).waitFor();
  await details.locator("li.frame", { hasText: "(*ledger).balance" }).first().waitFor(); // stacks come after spans
  const [waits, had] = (await details.innerText()).split("Ended by");
  assert.match(waits, /^sync[\s\S]*Stack\s+workbench\.\(\*ledger\)\.balance/);
  // Another request may have had it in between.
  assert.match(had, /workbench\.\(\*ledger\)\.(audit|balance)/);
  await p.settle("lock-timeline");
  await p.accessible();
  await p.close();
});

step("what holds the lock", async () => {
  const p = await open("/overview?file=ledger.whet", ".line-row");
  await p.page.getByRole("link", { name: "Waiting for locks" }).click();
  await p.page.locator(".flame-host .graph canvas").waitFor();
  const line = p.page.locator(".flame-lines .virtual-row").first();
  assert.match(await line.innerText(), /^\d\d\.\d*%\s+workbench\.\(\*ledger\)\.audit\s/);
  await line.click();
  const here = p.page.locator(".src-line.here");
  await here.waitFor();
  assert.match(await here.innerText(), /\d%[\s\S]*l\.mu\.Unlock\(\)/);
  await p.settle("lock");
  // The call graph shows who waits in it, with the same sample type.
  await p.page.getByRole("link", { name: "Graph", exact: true }).click();
  await p.page.locator(".callgraph .node.picked", { hasText: "audit" }).waitFor();
  assert.match(p.page.url(), /type=mutex:delay/);
  await p.close();
});

step("what leaks", async () => {
  const p = await open("/overview?file=ledger.whet", ".line-row");
  await p.page.getByRole("link", { name: "Goroutines", exact: true }).click();
  const group = p.page.locator(".group").first();
  await group.waitFor();
  // Releases before 1.27 have no profile of leaked goroutines, which would prove it.
  assert.match(await group.innerText(), /^\d+\s+\+\d+\s+(suspect|leak)\s+chan receive[\s\S]*\(\*ledger\)\.follow\.func1/);
  assert.match(await group.innerText(), /started by workbench\.\(\*ledger\)\.follow\s[\s\S]*grew by \d+ in/);
  await group.getByRole("link").first().click();
  const here = p.page.locator(".src-line.here");
  await here.waitFor();
  assert.match(await here.innerText(), /\d%[\s\S]*go func\(\) \{ l\.entries \+= <-l\.changes \}\(\)/);
  await p.settle("leak");
  await p.close();
});

await journey.walk();
