/** Selectors of stored profiles and the names of queries, as package store reads and writes them. No DOM. */

export type Operator = "=" | "!=" | "=~" | "!~";

export interface Matcher {
  readonly name: string;
  readonly op: Operator;
  readonly value: string;
}

const operators: readonly Operator[] = ["=~", "!~", "!=", "="];
const escapes: Record<string, string> = { a: "\x07", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v" };

/** What a part of a selector is: a name or a value, and where it begins. */
interface Token {
  readonly kind: "name" | "value";
  readonly from: number;
  readonly to: number;
  readonly text: string;
  /** Of a value: its matcher's name. */
  readonly name: string;
  readonly open: boolean; // a quote that is not closed
}

interface Scanned {
  readonly matchers: Matcher[];
  readonly tokens: Token[];
  readonly valid: boolean;
}

/** Reads as much of a selector as can be read. */
function scan(text: string): Scanned {
  const matchers: Matcher[] = [];
  const tokens: Token[] = [];
  let at = 0;
  const space = () => {
    while (at < text.length && " \t\r\n".includes(text[at]!)) at++;
  };
  const accept = (token: string) => {
    space();
    if (!text.startsWith(token, at)) return false;
    at += token.length;
    return true;
  };
  const stop = (valid: boolean): Scanned => ({ matchers, tokens, valid });
  const braces = accept("{");
  for (;;) {
    space();
    if (braces ? accept("}") : at === text.length) break;
    if (matchers.length > 0 && !accept(",")) return stop(false);
    space();
    if (braces ? accept("}") : at === text.length) break;
    const begin = at;
    const name = /^(?:[A-Za-z_]\w*)?/.exec(text.slice(at))![0];
    at += name.length;
    tokens.push({ kind: "name", from: begin, to: at, text: name, name: "", open: false });
    if (name === "") return stop(false);
    const op = operators.find((o) => accept(o));
    if (op === undefined) return stop(false);
    space();
    const from = at;
    const value = readValue(text, at);
    at = value.to;
    tokens.push({ kind: "value", from, to: at, text: value.text, name, open: value.open });
    if (value.open || (value.text === "" && value.to === from)) return stop(false);
    matchers.push({ name, op, value: value.text });
  }
  space();
  return stop(at === text.length);
}

/** Reads a value, which may be in quotes. */
function readValue(text: string, from: number): { text: string; to: number; open: boolean } {
  const quote = text[from];
  if (quote === "`") {
    const end = text.indexOf("`", from + 1);
    return end < 0
      ? { text: text.slice(from + 1), to: text.length, open: true }
      : { text: text.slice(from + 1, end), to: end + 1, open: false };
  }
  if (quote !== '"' && quote !== "'") {
    const bare = /^[\w.:/-]*/.exec(text.slice(from))![0];
    return { text: bare, to: from + bare.length, open: false };
  }
  let out = "";
  for (let at = from + 1; at < text.length; ) {
    const c = text[at]!;
    if (c === quote) return { text: out, to: at + 1, open: false };
    if (c !== "\\") {
      out += c;
      at++;
      continue;
    }
    const rest = text.slice(at + 1);
    const coded =
      /^x([0-9a-fA-F]{2})/.exec(rest) ?? /^u([0-9a-fA-F]{4})/.exec(rest) ?? /^U([0-9a-fA-F]{8})/.exec(rest);
    const point = coded ? parseInt(coded[1]!, 16) : 0;
    if (coded && point <= 0x10ffff) {
      out += String.fromCodePoint(point);
      at += 1 + coded[0].length;
    } else {
      out += escapes[rest[0] ?? ""] ?? rest[0] ?? "";
      at += 2;
    }
  }
  return { text: out, to: text.length, open: true };
}

/** The matchers of a selector; null if it is not one. Regular expressions are not checked. */
export function parseSelector(text: string): Matcher[] | null {
  const { matchers, valid } = scan(text);
  return valid ? matchers : null;
}

/** A selector as package store writes it: {service="shop",env!="test"}; "" without matchers. */
export function selectorText(matchers: readonly Matcher[]): string {
  if (matchers.length === 0) return "";
  return `{${matchers.map((m) => m.name + m.op + JSON.stringify(m.value)).join(",")}}`;
}

/** The value that a selector demands of a label; "" if it does not, or leaves several. */
export function labelOf(text: string, name: string): string {
  return parseSelector(text)?.find((m) => m.name === name && m.op === "=")?.value ?? "";
}

/** A selector that demands a value of a label instead of what it said of it; "" for the value demands nothing. */
export function withLabel(text: string, name: string, value: string): string {
  const rest = (parseSelector(text) ?? []).filter((m) => m.name !== name);
  if (value === "") return selectorText(rest);
  const one: Matcher = { name, op: "=", value };
  return selectorText(name === "service" ? [one, ...rest] : [...rest, one]);
}

/** What can be completed in a selector, at a place in it. */
export interface Completion {
  readonly kind: "name" | "value";
  /** Of a value: the label. */
  readonly name: string;
  readonly typed: string;
  readonly from: number;
  readonly to: number;
}

/** What is being written at a place in a selector; null if it is neither a name nor a value. */
export function completionAt(text: string, caret: number): Completion | null {
  const { tokens } = scan(text.slice(0, caret));
  const last = tokens.at(-1);
  if (!last) return /^\s*\{?\s*$/.test(text.slice(0, caret)) ? nameAt(text, caret) : null;
  if (last.to === caret && (last.kind === "name" || last.open || !/["'`]/.test(text[last.from] ?? ""))) {
    if (last.kind === "name") return nameAt(text, last.from, last.text);
    const whole = readValue(text, last.from);
    // What follows an open quote is the rest of the selector, not of the value.
    const to = last.open ? (whole.open ? caret : whole.to) : whole.to;
    return { kind: "value", name: last.name, typed: last.text, from: last.from, to };
  }
  return /,\s*$/.test(text.slice(last.to, caret)) ? nameAt(text, caret) : null;
}

function nameAt(text: string, from: number, typed = ""): Completion {
  const to = from + /^\w*/.exec(text.slice(from))![0].length;
  return { kind: "name", name: "", typed, from, to };
}

/** A selector with a completion filled in, and the place after it. */
export function complete(text: string, c: Completion, chosen: string): { text: string; caret: number } {
  const insert = c.kind === "name" ? chosen : JSON.stringify(chosen);
  const rest = text.slice(c.to);
  const more = c.kind === "name" && !/^\s*[=!]/.test(rest) ? "=" : "";
  return { text: text.slice(0, c.from) + insert + more + rest, caret: c.from + insert.length + more.length };
}

/** What the name of a query selects. Times are RFC 3339, "" is unbounded. */
export interface Selected {
  readonly kind: string;
  readonly query: string;
  readonly from: string;
  readonly to: string;
}

const prefix = "store:";

/** Reports whether a file is a query of the store. */
export function isStored(file: string): boolean {
  return file.startsWith(prefix);
}

/** The file of what is selected, which every view opens: store:cpu{service="shop"}@FROM/TO. */
export function storeName(s: Selected): string {
  const query = selectorText(parseSelector(s.query) ?? []) || "{}";
  return `${prefix}${s.kind}${query}${s.from || s.to ? `@${s.from}/${s.to}` : ""}`;
}

/** Reads what storeName wrote; null if a file is not a query of the store. */
export function parseStoreName(name: string): Selected | null {
  const m = /^store:(\w*)(\{[^]*\})(?:@([^/{}]*)\/([^/{}]*))?$/.exec(name);
  if (!m || parseSelector(m[2]!) === null) return null;
  return { kind: m[1]!, query: m[2] === "{}" ? "" : m[2]!, from: m[3] ?? "", to: m[4] ?? "" };
}

/** A file in words: the last part of its name, or what a query selects. */
export function titleOf(name: string): string {
  const s = parseStoreName(name);
  return s ? `${s.kind} ${s.query || "{}"}` : (name.split("/").at(-1) ?? name);
}

/** The begin of the names of files that are saved of a file. */
export function stemOf(name: string): string {
  return isStored(name) ? titleOf(name).replace(/\W+/g, "-").replace(/^-|-$/g, "") : titleOf(name);
}

/**
 * The words of the command line that queries the store at an address for a file, with flags, or that compares it with a
 * base; null if the file is not a query of the store, or no command compares the two.
 */
export function queryCommand(name: string, base: string, store: string, ...flags: string[]): string[] | null {
  const s = parseStoreName(name);
  if (!s) return null;
  const words = ["whet", "query", s.query || "{}", "--type", s.kind, "--from", s.from, "--to", s.to];
  const b = parseStoreName(base);
  if (base !== "") {
    if (!b || b.kind !== s.kind) return null;
    if (b.query === s.query) words.push("--against", `${b.from}/${b.to}`);
    else if (b.from === s.from && b.to === s.to) words.push("--against", b.query || "{}");
    else return null;
  }
  for (const flag of ["--from", "--to"]) {
    const at = words.indexOf(flag);
    if (words[at + 1] === "") words.splice(at, 2);
  }
  return [...words, ...(base === "" ? flags : []), "--store", store];
}
