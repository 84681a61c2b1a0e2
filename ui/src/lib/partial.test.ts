import { expect, test } from "vitest";
import type { Warning } from "../api/v1.ts";
import { isPartial, news } from "./partial.ts";

const shard: Warning = { kind: "partial_answer", text: "shard 2 (db2:9000) of cluster main does not answer" };
const other: Warning = { text: "one instance" };

test("an answer that lacks shards", () => {
  expect([shard, other].map(isPartial)).toEqual([true, false]);
});

test("a warning is shown once on a page", () => {
  expect(news([shard, other], [shard])).toEqual([other]);
  expect(news([shard], null)).toEqual([shard]);
  expect(news(null, [shard])).toEqual([]);
  expect(news([{ ...shard, where: "A" }], [shard])).toHaveLength(1);
});
