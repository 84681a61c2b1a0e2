// Uses the keys and the help that all pages share, in a real browser.
//
//   node journey/keys.mjs DIR [SHOTS]
//
// DIR holds the address of a server with the recording a.whet, from the Go test TestJourneyKeys of
// internal/server/workbench.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import assert from "node:assert/strict";
import { start } from "./browser.mjs";

const journey = await start({ height: 800, pause: 250 });
const { step } = journey;
const address = readFileSync(join(journey.dir, "address.html"), "utf8").trim();

for (const [locale, width, colorScheme, title, all, own] of [
  ["en", 1280, "light", "Timeline", "find a view, a file or a function", "search goroutines"],
  ["ru", 390, "dark", "Временная шкала", null, null],
  ["zh", 1280, "dark", "时间线", null, null],
])
  step(`the timeline has one help, with the keys of all pages, ${locale} ${width}`, async () => {
    const viewport = { width, height: 844 };
    const p = await journey.open(`${address}/timeline?file=a.whet`, { locale, viewport, colorScheme });
    await p.page.keyboard.press("?");
    const help = p.page.locator("dialog[open]");
    await help.waitFor();
    assert.equal(await p.page.locator("dialog.help[open]").count(), 0, "it is the one of the other pages");
    const text = await help.innerText();
    if (all) {
      assert.match(text, new RegExp(`^${title}\n`));
      assert.ok(text.includes(all) && text.includes(own), text);
    } else assert.doesNotMatch(text, /search goroutines|find a view/, `${title}: it is translated`);
    assert.match(text, /Ctrl\s*K/);
    assert.match(text, /c, f, m/);
    await p.settle(`help-${locale}-${width}-${colorScheme}`);
    await p.accessible();
    await p.page.keyboard.press("Escape");
    await help.waitFor({ state: "detached" });
    await p.close();
  });

step("the timeline has the keys of other pages, which come before its own", async () => {
  const p = await journey.open(`${address}/timeline?file=a.whet`);
  await p.page.keyboard.press("c");
  await p.page.waitForFunction(() => location.hash.includes("shade=0"));
  await p.page.keyboard.press("g");
  await p.page.keyboard.press("x"); // leads nowhere
  await p.page.keyboard.press("f");
  await p.page.waitForFunction(() => location.hash.includes("flows=1"));
  await p.page.keyboard.press("Control+k");
  await p.page.getByRole("combobox", { name: /View, file/ }).waitFor();
  await p.page.keyboard.press("Escape");
  await p.page.locator("dialog[open]").waitFor({ state: "detached" });
  await p.page.keyboard.press("g");
  await p.page.keyboard.press("f");
  await p.page.waitForURL(/\/flame\?file=a\.whet/);
  await p.page.locator(".flame-host .graph canvas").waitFor();
  await p.close();
});

await journey.walk();
