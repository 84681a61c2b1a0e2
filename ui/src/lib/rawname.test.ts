import { describe, expect, it } from "vitest";
import { rawName, shownName } from "./rawname.ts";

describe("the name of a file", () => {
  it("is shown without what reorders text, and found again", () => {
    const name = "deep/\u202egnp.\u001b[31m.whet";
    const shown = shownName(name);
    expect(shown).toBe("deep/\ufffdgnp.\ufffd[31m.whet");
    expect(rawName(shown)).toBe(name);
  });
  it("is itself if it has nothing of that", () => {
    expect(shownName("a b/<b>.whet")).toBe("a b/<b>.whet");
    expect(rawName("never seen.whet")).toBe("never seen.whet");
  });
});
