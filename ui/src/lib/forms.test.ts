import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { allForms, forms, type Form } from "./forms.ts";

/** Where the files of views are made, other than ui/src/pages/VIEW.tsx. */
const sources: Record<string, string> = {
  "over-time": "overtime.tsx",
  bench: "bench.ts",
  load: "load.ts",
  timeline: "timeline.ts",
};

/** What the source of a view has that makes a form. */
const makers: Record<Form, RegExp> = {
  html: /"share\.(page|html)"/,
  pprof: /pprofFile\(|pprofOf\(|share\.trace\./,
  svg: /"share\.svg"|\bbarFiles\(/,
  png: /"share\.png"|\bbarFiles\(/,
  csv: /"share\.csv"/,
  json: /"share\.json"/,
};

describe.each(Object.entries(forms))("the view %s", (view, has) => {
  const source = readFileSync(join(import.meta.dirname, "../pages", sources[view] ?? `${view}.tsx`), "utf8");
  it.each(allForms)("has %s, or a reason not to", (form) => {
    const made = makers[form].test(source);
    expect(made || (typeof has[form] === "string" && has[form].length > 5)).toBe(true);
    if (form !== "pprof" || view !== "overview") expect(made).toBe(has[form] === true);
  });
});

it("knows the forms of every page of a file", () => {
  expect(Object.keys(forms).length).toBe(15);
});
