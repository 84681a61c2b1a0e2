// Walks through the documents of whet find, fix and prove, which have no scripts, in a real browser.
//
//   node journey/documents.mjs DIR [SHOTS]
//
// DIR holds pages that the Go test TestDocumentsJourney wrote; it runs this script
// (npm run journey runs the test). SHOTS, if given, is a folder for screenshots.
// Exit code 77 means: no browser here.
import assert from "node:assert/strict";
import { start } from "./browser.mjs";

const journey = await start({ height: 900, pause: 60 });
const { open, step } = journey;
const ready = "main section";

const ground = (p) => p.page.evaluate(() => getComputedStyle(document.body).backgroundColor);

step("the contents lead to sections, and the header to the theme", async () => {
  const p = await open("find.html", { ready, colorScheme: "light" });
  const links = p.page.locator(".toc a");
  assert.ok((await links.count()) >= 3);
  await links.last().click();
  assert.match(await p.page.evaluate(() => location.hash), /^#\w+/);
  assert.ok(await p.page.locator("section:target").isVisible());
  const before = await ground(p);
  await p.page.getByLabel("dark").check();
  assert.notEqual(await ground(p), before);
  await p.page.getByLabel("system").check();
  assert.equal(await ground(p), before);
  await p.close();
  const dark = await open("find.html", { ready, colorScheme: "dark" });
  assert.notEqual(await ground(dark), before);
  await dark.page.getByLabel("light").check();
  assert.equal(await ground(dark), before);
  await dark.close();
});

step("findings are filtered by rule without scripts", async () => {
  const p = await open("find.html", { ready });
  const of = (title) => p.page.getByRole("heading", { name: title });
  await p.page.getByLabel(/^concat/).uncheck();
  assert.equal(await of(/string built in a loop/).isVisible(), false);
  assert.equal(await of(/regexp compiled/).isVisible(), true);
  assert.equal(await p.page.locator(".toc a", { hasText: "string built" }).isVisible(), false);
  await p.page.getByLabel(/^concat/).check();
  assert.equal(await of(/string built in a loop/).isVisible(), true);
  await p.close();
});

step("places lead to the editor", async () => {
  const p = await open("find.html", { ready });
  const hrefs = await p.page.locator("main a").evaluateAll((all) => all.map((a) => a.getAttribute("href")));
  assert.ok(hrefs.length > 2 && hrefs.every((h) => h.startsWith("vscode://file/src/")), String(hrefs));
  assert.ok(hrefs.some((h) => h.endsWith("/join.go:12")));
  await p.close();
});

step("the proof is next to the diff", async () => {
  for (const [name, width, beside] of [["fix", 1400, true], ["prove", 1400, true], ["fix", 390, false]]) {
    const p = await open(`${name}.html`, { ready, viewport: { width, height: 900 } });
    const pair = p.page.locator(".pair").first();
    const [proof, diff] = await pair.locator("> div").evaluateAll((all) => all.map((e) => e.getBoundingClientRect().toJSON()));
    assert.ok(await pair.locator(".add").first().isVisible());
    if (beside) assert.ok(diff.left >= proof.right && diff.top === proof.top, JSON.stringify([proof, diff]));
    else assert.ok(diff.top >= proof.bottom && diff.left === proof.left);
    await p.close();
  }
});

step("on a phone, the contents fold", async () => {
  const p = await open("find.html", { ready, viewport: { width: 390, height: 844 } });
  assert.equal(await p.page.locator(".toc a").first().isVisible(), false);
  await p.page.getByRole("checkbox", { name: "Contents" }).check();
  assert.equal(await p.page.locator(".toc a").first().isVisible(), true);
  await p.close();
});

journey.accessible(["find.html", "fix.html", "prove.html"], { ready });

await journey.walk();
