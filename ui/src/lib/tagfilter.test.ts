import { expect, it } from "vitest";
import { tagText } from "./tagfilter.ts";

it("shows tag filters of one value as that value", () => {
  for (const [filter, text] of [
    ["path=^/order$", "path=/order"],
    ["path=^/order/1\\x2c2$", "path=/order/1,2"],
    ["path=^/\\(\\.\\*\\)$", "path=/(.*)"],
    ["path=^a\\\\b$", "path=a\\b"],
    ["path=^/order/.*$", "path=^/order/.*$"],
    ["path=^\\d$", "path=^\\d$"],
    ["bytes=4096:4096", "bytes=4096"],
    ["bytes=4096:8192", "bytes=4096:8192"],
    ["order", "order"],
  ] as const)
    expect(tagText(filter)).toBe(text);
});
