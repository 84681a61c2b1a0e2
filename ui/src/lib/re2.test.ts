import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { re2, UnsupportedPattern } from "./re2.ts";

/** What the server's filters match; trace/timeline/filter_test.go writes it. */
const data = new URL("../../../trace/timeline/testdata/filters.json", import.meta.url);
const go = JSON.parse(readFileSync(data, "utf8")) as {
  texts: string[];
  patterns: { pattern: string; valid: boolean; matches: boolean[] }[];
};

/** The patterns that a saved page refuses, although the server accepts them. */
const refused = ["(?i)a(?-i)b", "a(?i)b", "(?i)[\\W]", "(?i)\\bSERVE"];

describe("re2", () => {
  it("refuses only what it says", () => {
    const found = go.patterns.filter(({ pattern }) => {
      try {
        re2(pattern);
        return false;
      } catch (e) {
        return e instanceof UnsupportedPattern;
      }
    });
    expect(found.map(({ pattern }) => pattern)).toEqual(refused);
  });

  it.each(go.patterns)("matches as the server does: $pattern", ({ pattern, valid, matches }) => {
    if (refused.includes(pattern)) {
      expect(valid).toBe(true);
      return;
    }
    if (!valid) {
      expect(() => re2(pattern)).toThrow(/^match: /);
      return;
    }
    const re = re2(pattern);
    expect(go.texts.filter((text) => re.test(text))).toEqual(go.texts.filter((_, i) => matches[i]));
  });
});
