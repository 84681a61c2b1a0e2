import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { parseAst } from "vite";
import { describe, expect, it } from "vitest";
import { en as bench } from "./bench.ts";
import { en } from "./en.ts";
import { en as flame } from "./flame.ts";
import { en as load } from "./load.ts";
import { en as timeline } from "./timeline.ts";

/** A node of a syntax tree. */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly [key: string]: unknown;
}

const root = join(import.meta.dirname, "..");

function isNode(v: unknown): v is Node {
  return typeof v === "object" && v !== null && typeof (v as Node).type === "string";
}

function parse(source: string): Node {
  return parseAst(source, { lang: "tsx" }) as unknown as Node;
}

/** The nodes below a node; of types and imports there are none. */
function children(n: Node): Node[] {
  if (/^(Import|ExportAll)/.test(n.type)) return [];
  if (n.type.startsWith("TS") && !["TSAsExpression", "TSNonNullExpression", "TSSatisfiesExpression"].includes(n.type))
    return [];
  return Object.values(n).flatMap((v) => (Array.isArray(v) ? v : [v])).filter(isNode);
}

/** The texts that an expression can be, apart from those that functions return. */
function texts(e: unknown): Node[] {
  if (!isNode(e)) return [];
  switch (e.type) {
    case "Literal":
      return typeof e["value"] === "string" ? [e] : [];
    case "JSXText":
      return [e];
    case "TemplateLiteral":
      return [...(e["quasis"] as Node[]), ...(e["expressions"] as Node[]).flatMap(texts)];
    case "ConditionalExpression":
      return [e["consequent"], e["alternate"]].flatMap(texts);
    case "LogicalExpression":
    case "BinaryExpression":
      return e["type"] === "LogicalExpression" || e["operator"] === "+" ? [e["left"], e["right"]].flatMap(texts) : [];
    case "ArrayExpression": {
      const parts = e["elements"] as Node[];
      // A choice is a value, which nothing shows, and its text.
      return (parts[1]?.type === "CallExpression" ? parts.slice(1) : parts).flatMap(texts);
    }
    case "JSXExpressionContainer":
    case "ParenthesizedExpression":
    case "TSAsExpression":
    case "TSNonNullExpression":
    case "SpreadElement":
      return texts(e["expression"] ?? e["argument"]);
    default:
      return [];
  }
}

/** Attributes and properties whose text is shown or read out. */
const shown = new Set([
  ...["title", "placeholder", "alt", "label", "aria-label", "aria-description", "aria-roledescription"],
  ...["aria-valuetext", "ariaLabel", "textContent", "innerText", "text"],
]);

/** Functions and methods, and from which argument on they show texts. */
const calls: Record<string, number> = {
  ...{ h: 2, say: 0, button: 0, fact: 0, choice: 0, setAttribute: 1, fillText: 0, alert: 0, confirm: 0 },
  ...{ append: 0, prepend: 0, before: 0, after: 0, replaceChildren: 0, replaceWith: 0, createTextNode: 0 },
};

/** Elements whose text is the same in every language: commands and keys. */
const literal = new Set(["code", "kbd", "option", "style"]);

/** Words that are the same in every language. */
const words = new Set(["whet"]);

/** Keys of the tables. */
const keys = new Set([en, bench, flame, load, timeline].flatMap((table) => Object.keys(table)));

/** What is not of the tables for a reason. */
const allowed: Record<string, string> = {
  "pages/memory.tsx: off": "the value of GOGC",
  'parts/selector.tsx: {version="v1",region=~"eu.*"}': "a selector",
  "api/client.ts: not saved": "the name of an error; its text is the detail",
  "state/timelinesource.ts: en": "the language of the numbers in the next one",
  "state/timelinesource.ts: This page contains": "of saved pages, which are in English",
  "views/themebutton.ts: Colors:": "of saved pages",
  "state/theme.ts: as the system": "of saved pages",
  "state/theme.ts: light": "of saved pages",
  "state/theme.ts: dark": "of saved pages",
};

function nameOf(n: unknown): string {
  if (!isNode(n)) return "";
  if (n.type === "MemberExpression") return nameOf(n["property"]);
  return String(n["name"] ?? n["value"] ?? "");
}

/** What shows text at a node: expressions whose texts are to come from the tables. */
function sinks(n: Node, inside: readonly Node[]): unknown[] {
  switch (n.type) {
    case "JSXText":
      return [n];
    case "JSXExpressionContainer":
      return inside.at(-1)?.type === "JSXAttribute" ? [] : [n];
    case "JSXAttribute":
      return shown.has(nameOf(n["name"])) ? [n["value"]] : [];
    case "Property":
      return shown.has(nameOf(n["key"])) ? [n["value"]] : [];
    case "AssignmentExpression":
      return isNode(n["left"]) && n["left"].type === "MemberExpression" && shown.has(nameOf(n["left"]))
        ? [n["right"]]
        : [];
    case "CallExpression": {
      const from = calls[nameOf(n["callee"])];
      const given = n["arguments"] as Node[];
      if (from === undefined) return [];
      if (nameOf(n["callee"]) === "setAttribute" && !shown.has(nameOf(given[0]))) return [];
      return given.slice(from);
    }
    default:
      return [];
  }
}

/** Texts of a source that are shown but do not come from the tables, each with its line. */
function literals(source: string): string[] {
  const found = new Map<number, string>();
  const mark = (n: Node) => {
    const value = n.type === "TemplateElement" ? (n["value"] as { cooked: string }).cooked : String(n["value"]);
    const own = [...value.matchAll(/\p{L}{2,}/gu)].map((m) => m[0]).filter((w) => !words.has(w));
    const line = source.slice(0, n.start).split("\n").length;
    if (own.length > 0 && !keys.has(value)) found.set(n.start, `${line}: ${value.trim()}`);
  };
  const visit = (n: Node, inside: readonly Node[]): void => {
    if (n.type === "JSXElement" && literal.has(nameOf((n["openingElement"] as Node)["name"]))) return;
    sinks(n, inside).flatMap(texts).forEach(mark);
    // A sentence is to be shown, wherever it goes.
    const value = n.type === "TemplateElement" ? (n["value"] as { cooked: string }).cooked : n["value"];
    if (typeof value === "string" && /^\s*\p{Lu}\p{Ll}+ \p{Ll}{2,}/u.test(value)) mark(n);
    for (const c of children(n)) visit(c, [...inside, n]);
  };
  visit(parse(source), []);
  return [...found].sort(([a], [b]) => a - b).map(([, text]) => text);
}

/** The files that an entry of the pages is made of, without types and tables of texts. */
function filesOf(entry: string, seen = new Set<string>()): Set<string> {
  if (seen.has(entry) || !existsSync(entry)) return seen;
  seen.add(entry);
  const visit = (n: Node): void => {
    const from = n["source"];
    if (/^(Import|Export)/.test(n.type) && isNode(from) && n["importKind"] !== "type") {
      const path = String(from["value"]);
      if (/^\.{1,2}\/.*\.tsx?$/.test(path)) filesOf(join(dirname(entry), path), seen);
    }
    for (const v of Object.values(n).flat()) if (isNode(v)) visit(v);
  };
  visit(parse(readFileSync(entry, "utf8")));
  return seen;
}

describe("literals", () => {
  it.each([
    ["<p>Nothing here</p>", ["1: Nothing here"]],
    ["<p>{ok ? 'yes' : `no ${n} rows`}</p>", ["1: yes", "1: no", "1: rows"]],
    ["<p class='wide note' title={t('x')}>{t('x')} · {n} %</p>", []],
    ["<a title='Open it' aria-label={`Go to ${n}`}>x</a>", ["1: Open it", "1: Go to"]],
    ["<code>whet record -d 5s</code>", []],
    ["h('p', { class: 'some thing', title: 'a title' }, n > 0 && 'text', t('x'))", ["1: a title", "1: text"]],
    ["\nx.textContent = 'Ready';", ["2: Ready"]],
    ["x.setAttribute('class', 'wide open'); x.setAttribute('title', 'Shut');", ["1: Shut"]],
    ["action('Copy the name', f)", ["1: Copy the name"]],
    ["const f: 'Some thing' = x; import 'Some thing';", []],
    ["say('gone ' + name)", ["1: gone"]],
    ["choice(t('show'), [['all', t('all')], ['one', 'Only one']], f)", ["1: one", "1: Only one"]],
    ["const x = { text: 'app.load', label: 'app.other' }", ["1: app.other"]],
  ])("of %s", (source, want) => {
    expect(literals(source)).toEqual(want);
  });
});

describe("the pages of whet ui", () => {
  const files = ["workbench.tsx", "document.tsx"].flatMap((f) => [...filesOf(join(root, f))]);
  const views = [...new Set(files)].map((f) => relative(root, f)).filter((f) => !f.startsWith("texts/"));
  it("are all found", () => {
    for (const f of ["pages/fixes.tsx", "pages/timeline.ts", "views/callgraph.ts", "views/load.ts", "parts/shell.tsx"])
      expect(views).toContain(f);
    expect(views).not.toContain("views/help.ts"); // of saved pages, which are in English
  });
  it("show no text that is not in the tables", () => {
    const found = views.flatMap((f) => literals(readFileSync(join(root, f), "utf8")).map((text) => `${f}:${text}`));
    const plain = (text: string) => text.replace(/:\d+: /, ": ");
    expect(found.filter((text) => !(plain(text) in allowed))).toEqual([]);
    const has = new Set(found.map(plain));
    expect(Object.keys(allowed).filter((text) => !has.has(text))).toEqual([]);
  });
});
