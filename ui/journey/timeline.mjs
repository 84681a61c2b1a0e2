// Walks through the timeline of a trace as a reader would, in a real browser: served, and as a page of its own.
//
//   node journey/timeline.mjs DIR [SHOTS]
//
// DIR holds page.html and, in address.html, the address of a server, both from the Go test
// TestTimelineJourney; it runs this script (npm run journey runs the test). SHOTS, if given, is a
// folder for screenshots. Exit code 77 means: no browser here.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import assert from "node:assert/strict";
import { start } from "./browser.mjs";

const journey = await start({ height: 800, pause: 300 });
const { step } = journey;
const address = readFileSync(join(journey.dir, "address.html"), "utf8").trim();

/** Opens a page, with what the steps need. */
async function open(name, options, hash) {
  const p = await journey.open(name, options, hash);
  const canvas = p.page.locator(".lanes canvas");
  /** Where the name of a row is. Rows are made anew while answers come. */
  const nameBox = async (id) => {
    const row = p.page.locator(`.name[data-id="${id}"]`);
    for (;;) {
      await row.waitFor();
      await row.scrollIntoViewIfNeeded().catch(() => undefined); // it may be made anew meanwhile
      const box = await row.boundingBox();
      if (box) return box;
    }
  };
  return {
    ...p,
    canvas,
    ready: () => p.page.waitForSelector("main[data-ready]"),
    hash: () => p.page.evaluate(() => decodeURIComponent(location.hash)),
    /** How many colors a canvas has been drawn on in. */
    colors: (locator) =>
      locator.evaluate((c) => {
        const { data } = c.getContext("2d").getImageData(0, 0, c.width, c.height);
        const seen = new Set();
        for (let i = 0; i < data.length; i += 4) if (data[i + 3] === 255) seen.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
        return seen.size;
      }),
    /** Where the lane of a row is, in the window. */
    lane: async (id) => {
      await p.settle();
      const name = await nameBox(id);
      const all = await canvas.boundingBox();
      return { left: name.x + name.width + 8, right: all.x + all.width, y: name.y + 10 };
    },
    /** Moves to where a lane has spans, and returns what the tooltip says. */
    hover: async (id, wanted) => {
      const at = await nameBox(id);
      const all = await canvas.boundingBox();
      for (let x = at.x + at.width + 12; x < all.x + all.width - 4; x += 17) {
        await p.page.mouse.move(x, at.y + 10);
        await p.page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
        if (await p.page.locator(".tooltip").isHidden()) continue;
        const text = await p.page.locator(".tooltip").innerText();
        if (wanted.test(text)) return text;
      }
      return "";
    },
    /**
     * What the tooltip says below the states of a row, from the upper to the lower end: the first group of wanted, at
     * the first place that has so many.
     */
    below: async (id, wanted, many) => {
      const at = await nameBox(id);
      const all = await canvas.boundingBox();
      for (let x = at.x + at.width + 12; x < all.x + all.width - 4; x += 61) {
        const found = [];
        for (let y = at.y + 12; y < Math.min(at.y + 200, all.y + all.height); y += 4) {
          await p.page.mouse.move(x, y);
          await p.page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
          if (await p.page.locator(".tooltip").isHidden()) continue;
          const name = wanted.exec(await p.page.locator(".tooltip").innerText())?.[1];
          if (name && found.at(-1) !== name) found.push(name);
        }
        if (found.length >= many) return found;
      }
      return [];
    },
    /** Like hover, of the first row of a type that says it; returns its id. */
    async hoverAny(type, wanted) {
      for (const id of await this.ids(type)) if (await this.hover(id, wanted)) return id;
      return undefined;
    },
    ids: (type) => p.page.locator(`.name[data-id^="${type}"]`).evaluateAll((all) => all.map((n) => n.dataset.id)),
  };
}

/** A picture of the lane of a row. */
const laneImage = async (p, id) => {
  const at = await p.lane(id);
  const all = await p.canvas.boundingBox();
  return p.canvas.evaluate(
    (c, [x, y, width]) => {
      const ratio = c.width / c.getBoundingClientRect().width;
      const cut = document.createElement("canvas");
      [cut.width, cut.height] = [width, 20];
      cut.getContext("2d").drawImage(c, x * ratio, y * ratio, width * ratio, 20 * ratio, 0, 0, width, 20);
      return cut.toDataURL();
    },
    [at.left - all.x, at.y - all.y - 10, at.right - at.left],
  );
};

for (const [what, where] of [
  ["served", address],
  ["alone", "page.html"],
]) {
  step(`${what}: it opens and draws`, async () => {
    const p = await open(where);
    await p.settle(what);
    assert.ok((await p.colors(p.canvas)) > 3, "the rows are blank");
    assert.ok((await p.colors(p.page.locator("canvas.overview"))) > 3, "the overview is blank");
    assert.ok((await p.ids("p")).length > 0 && (await p.ids("g")).length > 5);
    assert.match(await p.page.locator("header").innerText(), /goroutines/);
    assert.match(await p.page.locator("canvas.overview").getAttribute("aria-label"), /busy on average/);
    await p.close();
  });

  step(`${what}: zooming changes the link, Back undoes it, and a link reproduces`, async () => {
    const p = await open(where);
    const asked = [];
    p.page.on("request", (r) => asked.push(r.url()));
    const { left, right, y } = await p.lane((await p.ids("p"))[0]);
    await p.page.keyboard.down("Shift");
    await p.page.mouse.move(left + (right - left) * 0.4, y);
    await p.page.mouse.down();
    await p.page.mouse.move(left + (right - left) * 0.6, y + 5, { steps: 4 });
    await p.page.mouse.up();
    await p.page.keyboard.up("Shift");
    await p.settle(`${what}-area`);
    assert.match(await p.hash(), /area=\d+-\d+,p\d+/, "an area is selected");
    assert.match(await p.page.locator(".details").innerText(), /Time in each state/);
    await p.page.getByRole("button", { name: "Zoom to it" }).click();
    await p.page.keyboard.press("Escape");
    await p.settle();
    await p.ready();
    const link = await p.hash();
    const [, from, to] = /t=(\d+)-(\d+)/.exec(link).map(Number);
    assert.ok(to > from);
    assert.equal(asked.some((u) => u.includes("/timeline/spans")), what === "served");
    await p.page.locator("canvas.axis").hover();
    await p.page.mouse.wheel(0, -300);
    await p.settle(`${what}-zoomed`);
    const [, from2, to2] = /t=(\d+)-(\d+)/.exec(await p.hash()).map(Number);
    assert.ok(to2 - from2 < to - from, "the wheel does not zoom");
    await p.page.keyboard.press("0");
    await p.settle();
    assert.doesNotMatch(await p.hash(), /t=/);
    await p.close();
    const q = await open(where, {}, link);
    await q.settle();
    assert.equal(await q.hash(), link);
    await q.page.keyboard.press("w");
    await q.settle();
    assert.notEqual(await q.hash(), link);
    await q.close();
  });

  step(`${what}: processors are in the colors of functions, and tell them`, async () => {
    const p = await open(where);
    await p.ready();
    const id = await p.hoverAny("p", /[a-z]\.[(a-zA-Z]/); // "http.(*conn).serve"
    assert.ok(id, "no part of a processor tells its functions");
    await p.page.mouse.move(2, 2);
    await p.settle();
    const byFunction = await laneImage(p, id);
    await p.page.getByRole("button", { name: "by state" }).click();
    await p.settle();
    assert.notEqual(await laneImage(p, id), byFunction, "by function shows states");
    await p.close();
  });

  step(`${what}: details do not move what is under the pointer, and a double click zooms`, async () => {
    const p = await open(where, {}, "#request=shut&range=shut");
    await p.ready();
    const [id] = await p.ids("g");
    const { left, right, y } = await p.lane(id);
    const before = await p.canvas.boundingBox();
    for (const [from, by] of [
      [left + 20, 13],
      [right - 12, -13],
    ]) {
      let x = from;
      for (; x > left && x < right; x += by) {
        await p.page.mouse.move(x, y);
        await p.page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
        if (await p.page.locator(".tooltip").isVisible()) break;
      }
      await p.page.mouse.click(x, y);
      await p.settle();
      assert.ok(await p.page.locator(".details").isVisible());
      assert.deepEqual(await p.canvas.boundingBox(), before, "the picture has changed its size");
      const over = await p.page.evaluate(([a, b]) => document.elementFromPoint(a, b).tagName, [x, y]);
      assert.equal(over, "CANVAS", "details cover what was clicked");
      await p.page.waitForTimeout(500); // not a double click
      await p.page.mouse.dblclick(x, y);
      await p.settle();
      assert.match(await p.hash(), /t=\d+-\d+/, "a double click does not zoom");
      await p.page.keyboard.press("0");
      await p.page.keyboard.press("Escape");
      await p.settle();
      await p.ready();
    }
    await p.close();
  });

  step(`${what}: the keyboard's zoom removes the tooltip`, async () => {
    const p = await open(where);
    await p.ready();
    assert.ok(await p.hoverAny("p", /./));
    await p.page.keyboard.press("w");
    await p.settle();
    assert.ok(await p.page.locator(".tooltip").isHidden(), "the tooltip is about what was there before");
    await p.close();
  });

  step(`${what}: a long span among many is named by its state`, async () => {
    const p = await open(where);
    await p.ready();
    for (const id of (await p.ids("g")).slice(0, 12)) {
      const { left, right, y } = await p.lane(id);
      for (let x = left + 10; x < right; x += 97) {
        await p.page.mouse.move(x, y);
        await p.page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
        if (await p.page.locator(".tooltip").isHidden()) continue;
        const text = await p.page.locator(".tooltip").innerText();
        if (!/too many changes/.test(text)) continue;
        assert.ok((await p.page.locator(".tooltip tr").count()) > 1 || !/100(\.0)?%/.test(text), text);
      }
    }
    await p.close();
  });

  step(`${what}: a span tells its state, stack and who woke it`, async () => {
    const p = await open(where);
    await p.page.locator('[data-type="goroutine"] input[type="search"]').fill("tracedTimeline");
    await p.settle();
    await p.ready();
    const ids = await p.ids("g");
    assert.ok(ids.length > 0 && ids.length < 10, `${ids.length} goroutines are found`);
    for (const text of await p.page.locator('.name[data-id^="g"]').allInnerTexts()) assert.match(text, /tracedTimeline/);
    const tip = await p.hover(ids[0], /sync[\s\S]*journeyWorker[\s\S]*timeline_test\.go:\d+/);
    assert.notEqual(tip, "", "no span shows where it waits");
    await p.page.mouse.down();
    await p.page.mouse.up();
    await p.settle(`${what}-details`);
    const details = await p.page.locator(".details").innerText();
    assert.match(details, /sync[\s\S]*length[\s\S]*Stack[\s\S]*journeyWorker/);
    assert.match(details, /Ended by\s+goroutine \d+/);
    await p.page.locator(".details button.link").first().click();
    await p.settle();
    assert.match(await p.hash(), /pin=g\d+|tracedTimeline/);
    await p.page.keyboard.press("Escape");
    await p.settle();
    assert.ok(await p.page.locator(".details").isHidden());
    await p.close();
  });
}

for (const [what, where] of [
  ["served", address],
  ["alone", "page.html"],
]) {
  step(`${what}: requests come first, by handler`, async () => {
    const p = await open(where);
    await p.ready();
    assert.equal(await p.page.locator(".section:visible").first().getAttribute("data-type"), "request");
    const table = p.page.locator(".classes");
    assert.match(await table.innerText(), /handler\s+requests\s+p50\s+p90\s+p99\s+max/);
    const handler = table.locator("tbody button").first();
    await handler.click();
    await p.settle(`${what}-handler`);
    assert.equal(await handler.getAttribute("aria-pressed"), "true");
    assert.match(await p.hash(), /request\.q=\^/);
    assert.ok((await p.ids("r")).length > 0, "no request of the handler");
    await p.close();
  });

  step(`${what}: a link selects a span, and its goroutine has figures`, async () => {
    const p = await open(where);
    await p.page.locator('[data-type="goroutine"] input[type="search"]').fill("tracedTimeline");
    await p.settle();
    await p.ready();
    const [id] = await p.ids("g");
    assert.notEqual(await p.hover(id, /sync/), "");
    await p.page.mouse.down();
    await p.page.mouse.up();
    await p.settle();
    const link = await p.hash();
    assert.match(link, new RegExp(`sel=${id}@\\d+`));
    const told = await p.page.locator(".details h2").innerText();
    await p.close();
    const q = await open(where, {}, link);
    await q.ready();
    await q.page.waitForSelector(".details:visible");
    assert.equal(await q.page.locator(".details h2").innerText(), told);
    assert.match(await q.page.locator(".details .chip").innerText(), /sync/);
    await q.page.getByRole("button", { name: "Spans" }).click();
    await q.page.waitForSelector(".histogram");
    assert.match(await q.page.locator(".histogram").innerText(), /\d+ spans[\s\S]*Longest/);
    await q.page.getByRole("button", { name: "Waits" }).click();
    await q.page.waitForSelector(".flame-boxes");
    assert.match(await q.page.locator(".flame-boxes").innerText(), /journeyWorker/);
    await q.settle(`${what}-waits`);
    await q.page.locator(".flame-boxes .call", { hasText: "journeyWorker" }).first().click();
    assert.match(await q.page.locator(".flame").innerText(), /below traces\.journeyWorker/);
    await q.page.getByRole("button", { name: "Regions and calls" }).click();
    await q.page.getByRole("button", { name: "Pin to the top" }).click();
    await q.settle(`${what}-calls`);
    assert.match(await q.hash(), new RegExp(`pin=${id}&more=${id}`));
    assert.equal(await q.page.locator(".pinned-head").innerText(), "Pinned 1");
    // Calls are below the states of the goroutine, the outermost on top, and the tooltip names the one at the pointer.
    await q.page.keyboard.press("Escape");
    await q.ready();
    const depths = await q.below(id, /^(\S+) [\d.]+\S+\s+\S+\.(?:go|s):\d+\s/, 2);
    const worker = depths.findIndex((name) => /journeyWorker/.test(name));
    assert.ok(worker >= 0 && worker < depths.length - 1, `no call is within the worker's: ${depths}`);
    await q.close();
  });
}

step("wake-ups, shades and the collector's share can be shown", async () => {
  const p = await open(address);
  await p.ready();
  const picture = () => p.canvas.evaluate((c) => c.toDataURL());
  const before = await picture();
  await p.page.keyboard.press("c");
  await p.settle();
  assert.match(await p.hash(), /shade=0/);
  const plain = await picture();
  assert.notEqual(plain, before);
  // Arrows are between the rows of goroutines that are in view, where spans are not added up.
  await p.page.evaluate(() => {
    const rows = document.querySelector(".lanes");
    rows.scrollTop = document.querySelector('[data-type="goroutine"]').offsetTop;
  });
  let arrows = plain;
  for (let n = 0, without = plain; arrows === without && n < 16; n++) {
    if (n > 0) await p.page.keyboard.press("w");
    await p.ready();
    without = await picture();
    await p.page.keyboard.press("f");
    await p.settle("flows");
    assert.match(await p.hash(), /flows=1/);
    arrows = await picture();
    if (arrows !== without) break;
    await p.page.keyboard.press("f");
    await p.settle();
  }
  assert.match(await p.hash(), /flows=1/, "no arrows");
  await p.page.keyboard.press("m");
  await p.page.waitForSelector(".curve");
  assert.match(await p.page.locator("dialog[open]").innerText(), /10us\s+\d/);
  await p.accessible();
  await p.page.keyboard.press("Escape");
  await p.page.getByRole("button", { name: "heatmap" }).click();
  await p.settle("heat");
  assert.notEqual(await picture(), arrows);
  assert.ok((await p.ids("p")).length > 0);
  await p.close();
});

step("the keyboard goes through rows and spans", async () => {
  const p = await open(address);
  await p.canvas.focus();
  await p.page.keyboard.press("ArrowDown");
  await p.settle();
  const first = await p.page.locator(".live").innerText();
  assert.notEqual(first, "");
  await p.page.keyboard.press("ArrowDown");
  await p.settle();
  assert.notEqual(await p.page.locator(".live").innerText(), first);
  await p.page.keyboard.press("ArrowUp"); // to a request, which is not as long as the trace
  await p.settle();
  assert.equal(await p.page.locator(".live").innerText(), first);
  const row = await p.page.locator(".live").innerText();
  for (let n = 0; n < 20 && (await p.page.locator(".live").innerText()) === row; n++) {
    await p.page.keyboard.press("ArrowRight"); // without effect until the row is there
    await p.settle();
  }
  await p.page.keyboard.press("Enter");
  await p.settle();
  assert.match(await p.hash(), /t=/);
  await p.page.keyboard.press("Backspace");
  await p.settle();
  assert.doesNotMatch(await p.hash(), /t=/);
  await p.close();
});

step("what is typed into a search is kept while rows come", async () => {
  const p = await open(address);
  await p.settle();
  const search = p.page.locator('[data-type="goroutine"] input[type="search"]');
  await search.focus();
  for (const [typed, pause] of [
    ["trac", 400], // looked for, and answered
    ["edTime", 30],
    ["line", 400],
  ]) {
    await p.page.keyboard.type(typed);
    await p.page.waitForTimeout(pause);
  }
  await p.settle();
  assert.equal(await search.inputValue(), "tracedTimeline");
  assert.ok(await search.evaluate((e) => e === document.activeElement), "the search has lost its focus");
  // Zooming shows all again, within the time that what is typed waits to be looked for.
  await p.page.keyboard.press("End");
  await p.page.keyboard.type(".");
  await p.canvas.focus();
  await p.page.keyboard.press("w");
  await p.page.waitForFunction(() => decodeURIComponent(location.hash).includes("tracedTimeline."));
  assert.equal(await search.inputValue(), "tracedTimeline.");
  await p.close();
});

step("all goroutines can be scrolled through", async () => {
  const p = await open(address);
  await p.ready();
  const section = p.page.locator(".section[data-type=goroutine]");
  await section.getByRole("button", { name: "all", exact: true }).click();
  await p.settle();
  assert.match(await p.hash(), /goroutine\.all=1/);
  const total = Number((await section.locator(".count").innerText()).replaceAll(",", ""));
  assert.ok(total > 40, `${total} goroutines fit on a page`);
  const order = await p.page.evaluate(async (total) => {
    const ids = [];
    while (ids.length < total) {
      const answer = await fetch(`/api/v1/timeline/rows?type=goroutine&match=&order=busy&skip=${ids.length}&limit=1000`);
      ids.push(...(await answer.json()).rows.map((r) => r.id));
    }
    return ids;
  }, total);
  const lanes = p.page.locator(".lanes");
  const seen = new Set();
  for (const part of [0, 0.3, 0.31, 0.9, 1, 0.5]) {
    await lanes.evaluate((el, part) => (el.scrollTop = part * el.scrollHeight), part);
    await p.settle();
    const rows = await p.page.locator('.name[data-id^="g"]').evaluateAll((all) => all.map((n) => [n.dataset.id, n.style.top]));
    for (const [id, top] of rows) {
      assert.equal(parseFloat(top), parseFloat(rows[0][1]) + (order.indexOf(id) - order.indexOf(rows[0][0])) * 23, id);
      seen.add(id);
    }
  }
  assert.ok(seen.has(order[0]) && seen.has(order[total - 1]) && seen.size > 40, `${seen.size} of ${total} rows seen`);
  await p.close();
});

step("a wrong expression is told, and another one is not waited for", async () => {
  const p = await open(address);
  await p.settle();
  const search = p.page.locator('[data-type="goroutine"] input[type="search"]');
  await search.fill("(");
  await p.page.waitForFunction(() => /match|missing/.test(document.querySelector('[data-type="goroutine"] .trouble').textContent));
  await search.fill("tracedTimeline");
  await p.page.waitForFunction(() => [...document.querySelectorAll('.name[data-id^="g"]')].every((n) => n.textContent.includes("tracedTimeline")));
  await p.close(/the server responded with a status of 400/); // of the wrong expression
});

step("narrow and dark, wide and light", async () => {
  for (const [width, colorScheme] of [
    [360, "dark"],
    [2560, "light"],
  ]) {
    const p = await open("page.html", { viewport: { width, height: width < 500 ? 740 : 900 }, colorScheme });
    await p.settle(`page-${width}-${colorScheme}`);
    const wide = await p.page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= width, `it is ${wide} px wide in a window of ${width}`);
    // Without requests, whose spans may be too narrow for a color, processors are in the window.
    await p.page.locator(".section button[aria-expanded=true]").first().click();
    await p.settle();
    assert.ok((await p.colors(p.canvas)) > 2, "the rows are blank");
    await p.close();
  }
});

step("a phone shows whole names", async () => {
  for (const name of [address, "page.html"]) {
    const p = await open(name, { viewport: { width: 360, height: 740 } });
    await p.settle();
    const cut = await p.page.locator(".name > span:first-child").evaluateAll((all) =>
      all.filter((e) => e.scrollWidth > e.clientWidth).map((e) => e.textContent),
    );
    assert.deepEqual(cut, []);
    await p.close();
  }
});

journey.accessible([address, "page.html"]);

await journey.walk();
