import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  complete,
  completionAt,
  isStored,
  labelOf,
  parseSelector,
  parseStoreName,
  queryCommand,
  selectorText,
  stemOf,
  storeName,
  titleOf,
  withLabel,
} from "./selector.ts";

interface Line {
  text: string;
  selector: string;
  name: string;
  valid: boolean;
}

describe("selectors", () => {
  const url = new URL("../../../store/testdata/selectors.jsonl", import.meta.url);
  const lines = readFileSync(url, "utf8")
    .trim()
    .split("\n")
    .map((l) => JSON.parse(l) as Line);
  it.each(lines)("are read as package store reads them: $text", ({ text, selector, name, valid }) => {
    const ms = parseSelector(text);
    expect(ms !== null).toBe(valid);
    if (!ms) return;
    // Written by either side, they are the same matchers.
    expect(parseSelector(selector)).toEqual(ms);
    expect(parseSelector(selectorText(ms))).toEqual(ms);
    const read = parseStoreName(name);
    expect(read).toEqual({ kind: "cpu", query: ms.length === 0 ? "" : selector, from: "2026-05-04T03:00:00Z", to: "" });
    expect(parseStoreName(storeName(read!))).toEqual({ ...read, query: selectorText(ms) });
  });

  it("change one label", () => {
    expect(withLabel("", "service", "shop")).toBe('{service="shop"}');
    expect(withLabel('{a="b"}', "service", "shop")).toBe('{service="shop",a="b"}');
    expect(withLabel('{service="shop",a!="b"}', "a", "c")).toBe('{service="shop",a="c"}');
    expect(withLabel('{service="shop"}', "service", "")).toBe("");
    expect(labelOf('{service="shop",a!="b"}', "service")).toBe("shop");
    expect(labelOf('{a!="b"}', "a")).toBe("");
    expect(labelOf("{", "a")).toBe("");
  });

  // The bar is where the caret is.
  const at = (marked: string) => {
    const caret = marked.indexOf("|");
    return { text: marked.replace("|", ""), caret };
  };
  it.each([
    ["|", "name", ""],
    ["{|", "name", ""],
    ["{ver|", "name", "ver"],
    ['{ver|sion="v1"}', "name", "ver"],
    ['{version="v1",|', "name", ""],
    ['{version="v1", ho|}', "name", "ho"],
    ["version=|", "value", ""],
    ["version=v|", "value", "v"],
    ['{version="v|', "value", "v"],
    ['{version="v|1",a="b"}', "value", "v"],
    ['{version=~"eu.*|"}', "value", "eu.*"],
  ])("know what is written: %s", (marked, kind, typed) => {
    const { text, caret } = at(marked);
    expect(completionAt(text, caret)).toMatchObject({ kind, typed, ...(kind === "value" ? { name: "version" } : {}) });
  });
  it.each(['{version="v1"|', '{version="v1"}|', "{version |", "{version=1 |"])("offer nothing: %s", (marked) => {
    const { text, caret } = at(marked);
    expect(completionAt(text, caret)).toBeNull();
  });
  it.each([
    ["|", "version", "version=|"],
    ["{ver|", "version", "{version=|"],
    ['{ver|sion="v1"}', "host", '{host|="v1"}'],
    ["version=|", 'v"1', 'version="v\\"1"|'],
    ['{version="v|1",a="b"}', "v2", '{version="v2"|,a="b"}'],
    ["{version=v|1}", "v2", '{version="v2"|}'],
  ])("are completed: %s by %s", (marked, chosen, want) => {
    const { text, caret } = at(marked);
    const c = complete(text, completionAt(text, caret)!, chosen);
    expect(`${c.text.slice(0, c.caret)}|${c.text.slice(c.caret)}`).toBe(want);
  });
});

describe("files that are queries", () => {
  const one = { kind: "cpu", query: '{service="shop"}', from: "2026-05-04T03:00:00Z", to: "2026-05-04T04:00:00Z" };
  const name = 'store:cpu{service="shop"}@2026-05-04T03:00:00Z/2026-05-04T04:00:00Z';
  it("have names", () => {
    expect(storeName(one)).toBe(name);
    expect(parseStoreName(name)).toEqual(one);
    expect(storeName({ kind: "heap", query: "", from: "", to: "" })).toBe("store:heap{}");
    expect(isStored(name)).toBe(true);
    for (const other of ["a.whet", "store:cpu", "store:cpu{a}", 'store:cpu{a="b"}x', "store:cpu{}@1"])
      expect(parseStoreName(other), other).toBeNull();
    expect(parseStoreName('store:cpu{a="}@/{"}@/')).toEqual({ kind: "cpu", query: '{a="}@/{"}', from: "", to: "" });
  });
  it("have titles", () => {
    expect(titleOf(name)).toBe('cpu {service="shop"}');
    expect(stemOf(name)).toBe("cpu-service-shop");
    expect(titleOf("a/b.whet")).toBe("b.whet");
    expect(stemOf("a/b.whet")).toBe("b.whet");
  });
  it("have commands", () => {
    const store = ["--store", "http://h:1"];
    const words = ["whet", "query", one.query, "--type", "cpu", "--from", one.from, "--to", one.to];
    expect(queryCommand(name, "", "http://h:1", "-o", "x")).toEqual([...words, "-o", "x", ...store]);
    expect(queryCommand("store:cpu{}", "", "http://h:1")).toEqual(["whet", "query", "{}", "--type", "cpu", ...store]);
    const version = storeName({ ...one, query: '{version="v1"}' });
    expect(queryCommand(name, version, "http://h:1")).toEqual([...words, "--against", '{version="v1"}', ...store]);
    const earlier = storeName({ ...one, from: "2026-05-03T03:00:00Z", to: "2026-05-03T04:00:00Z" });
    expect(queryCommand(name, earlier, "http://h:1")).toEqual([
      ...words,
      ...["--against", "2026-05-03T03:00:00Z/2026-05-03T04:00:00Z"],
      ...store,
    ]);
    expect(queryCommand("a.whet", "", "http://h:1")).toBeNull();
    expect(queryCommand(name, "a.whet", "http://h:1")).toBeNull();
  });
});
