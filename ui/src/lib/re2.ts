/**
 * Translates a regular expression from the syntax of RE2, which the server's filters have, for
 * JavaScript. The dialects look alike and differ in what they match ($, ., \s, \b, classes that fold
 * case), so the pattern is parsed as Go's regexp/syntax parses it. What JavaScript cannot express is
 * an UnsupportedPattern: the same pattern never matches other rows than on the server.
 */
export function re2(pattern: string): RegExp {
  const p = new Parser(pattern);
  const source = p.alternation(0).source;
  if (!p.end()) throw p.wrong("unexpected )");
  return new RegExp(source, p.folds ? "iu" : "u");
}

/** Why a pattern is refused that the server accepts. */
export class UnsupportedPattern extends Error {}

type Flags = { fold: boolean; lines: boolean; dot: boolean };
type Part = { source: string; repeats: number };
type Range = readonly [number, number];

const last = 0x10ffff;
const maxRepeat = 1000;

const perl: Record<string, readonly Range[]> = {
  d: [[0x30, 0x39]],
  s: [
    [0x9, 0xa],
    [0xc, 0xd],
    [0x20, 0x20],
  ],
  w: ranges("09AZ__az"),
};

const posix: Record<string, readonly Range[]> = {
  alnum: ranges("09AZaz"),
  alpha: ranges("AZaz"),
  ascii: [[0, 0x7f]],
  blank: ranges("\t\t  "),
  cntrl: [
    [0, 0x1f],
    [0x7f, 0x7f],
  ],
  digit: ranges("09"),
  graph: ranges("!~"),
  lower: ranges("az"),
  print: ranges(" ~"),
  punct: ranges("!/:@[`{~"),
  space: ranges("\t\r  "),
  upper: ranges("AZ"),
  word: ranges("09AZ__az"),
  xdigit: ranges("09AFaf"),
};

function ranges(pairs: string): Range[] {
  const all: Range[] = [];
  for (let i = 0; i < pairs.length; i += 2) all.push([pairs.charCodeAt(i), pairs.charCodeAt(i + 1)]);
  return all;
}

function complement(all: readonly Range[]): Range[] {
  const rest: Range[] = [];
  let next = 0;
  for (const [from, to] of all) {
    if (from > next) rest.push([next, from - 1]);
    next = to + 1;
  }
  if (next <= last) rest.push([next, last]);
  return rest;
}

const code = (n: number): string => `\\u{${n.toString(16)}}`;
const classOf = (all: readonly Range[]): string => all.map(([from, to]) => `${code(from)}-${code(to)}`).join("");
const hasCase = (c: string): boolean => c.toLowerCase() !== c || c.toUpperCase() !== c;
const word = "[0-9A-Z_a-z]";

/** A parser of one pattern, which it writes anew while it reads. */
class Parser {
  folds: boolean | undefined; // whether what was read so far ignores case; undefined: it has no case
  private readonly chars: readonly string[];
  private at = 0;
  private flags: Flags = { fold: false, lines: false, dot: false };

  constructor(private readonly pattern: string) {
    this.chars = [...pattern];
  }

  end(): boolean {
    return this.at >= this.chars.length;
  }

  wrong(why: string): Error {
    return new Error(`match: ${why}: ${this.pattern}`);
  }

  private unsupported(what: string): Error {
    return new UnsupportedPattern(
      `match: a saved page does not support ${what}; whet trace timeline without -o does: ${this.pattern}`,
    );
  }

  private peek(text: string): boolean {
    return this.chars.slice(this.at, this.at + text.length).join("") === text;
  }

  private take(text: string): boolean {
    if (!this.peek(text)) return false;
    this.at += text.length;
    return true;
  }

  private next(): string {
    const c = this.chars[this.at++];
    if (c === undefined) throw this.wrong("unexpected end");
    return c;
  }

  /** Notes that what is written next depends on whether case is ignored, a flag of the whole pattern in JavaScript. */
  private cased(): void {
    const fold = this.flags.fold;
    if (this.folds !== undefined && this.folds !== fold) throw this.unsupported("(?i) for a part of a pattern");
    this.folds = fold;
  }

  alternation(depth: number): Part {
    if (depth > maxRepeat) throw this.wrong("nested too deeply");
    const outer = this.flags;
    const sources = [];
    let repeats = 1;
    do {
      const one = this.concatenation(depth);
      sources.push(one.source);
      repeats = Math.max(repeats, one.repeats);
    } while (this.take("|"));
    this.flags = outer;
    return { source: sources.join("|"), repeats };
  }

  private concatenation(depth: number): Part {
    let source = "";
    let repeats = 1;
    let atom: Part | null = null; // that can be repeated
    let repeated = false;
    const push = (): void => {
      if (atom) {
        source += atom.source;
        repeats = Math.max(repeats, atom.repeats);
      }
    };
    while (!this.end() && !this.peek("|") && !this.peek(")")) {
      const times = this.repetition();
      if (times) {
        if (!atom) throw this.wrong("missing argument to repetition operator");
        if (repeated) throw this.wrong("invalid nested repetition operator");
        if (times.most * atom.repeats > maxRepeat) throw this.wrong("invalid repeat count");
        atom = { source: `(?:${atom.source})${times.source}`, repeats: Math.max(times.most * atom.repeats, 1) };
        repeated = true;
        continue;
      }
      if (this.setFlags()) {
        repeated = false;
        continue;
      }
      repeated = false;
      if (this.take("\\Q")) {
        while (!this.end() && !this.take("\\E")) {
          push();
          atom = { source: this.literal(this.next()), repeats: 1 };
        }
        continue;
      }
      push();
      atom = this.atom(depth);
    }
    push();
    return { source, repeats };
  }

  /** Reads a repetition operator; null if there is none: a brace may be a literal. */
  private repetition(): { source: string; most: number } | null {
    let source = "";
    let most = 0;
    if (this.peek("*") || this.peek("+") || this.peek("?")) {
      source = this.next();
    } else {
      const found = /^\{(\d+)(,(\d*))?\}/.exec(this.chars.slice(this.at, this.at + 64).join(""));
      if (!found) return null;
      const from = found[1] ?? "";
      const to = found[2] === undefined ? from : (found[3] ?? "");
      if ([from, to].some((n) => n.length > 1 && n.startsWith("0"))) return null; // a literal
      most = to === "" ? Number(from) : Number(to);
      if (Number(from) > maxRepeat || most > maxRepeat || most < Number(from)) throw this.wrong("invalid repeat count");
      this.at += found[0].length;
      source = found[0];
    }
    this.take("?"); // shortest first: what matches is the same
    return { source, most };
  }

  /** Reads a group of flags that apply to what follows, and reports whether there is one. */
  private setFlags(): boolean {
    const found = /^\(\?([imsU]*(?:-[imsU]+)?)\)/.exec(this.chars.slice(this.at, this.at + 64).join(""));
    if (!found) return false;
    this.at += found[0].length;
    this.apply(found[1] ?? "");
    return true;
  }

  private apply(text: string): void {
    const flags = { ...this.flags };
    let on = true;
    for (const c of text) {
      if (c === "-") on = false;
      if (c === "i") flags.fold = on;
      if (c === "m") flags.lines = on;
      if (c === "s") flags.dot = on;
    }
    this.flags = flags;
  }

  private atom(depth: number): Part {
    const one = (source: string): Part => ({ source, repeats: 1 });
    if (this.peek("(")) return this.group(depth);
    if (this.peek("[")) return one(this.class());
    const c = this.next();
    switch (c) {
      case ".":
        return one(this.flags.dot ? "[^]" : "[^\\n]");
      case "^":
        return one(this.flags.lines ? "(?:^|(?<=\\n))" : "^");
      case "$":
        return one(this.flags.lines ? "(?:$|(?=\\n))" : "$");
      case "\\":
        return one(this.escaped());
    }
    return one(this.literal(c));
  }

  private literal(c: string): string {
    if (hasCase(c)) this.cased();
    return code(c.codePointAt(0) ?? 0);
  }

  private group(depth: number): Part {
    this.take("(");
    const outer = this.flags;
    if (this.take("?")) {
      const head = this.chars.slice(this.at, this.at + 256).join("");
      const name = /^P?<\w+>/.exec(head);
      const flags = /^([imsU]*(?:-[imsU]+)?):/.exec(head);
      if (name) {
        this.at += name[0].length;
      } else if (flags) {
        this.apply(flags[1] ?? "");
        this.at += flags[0].length;
      } else {
        throw this.wrong("invalid or unsupported Perl syntax");
      }
    }
    const inner = this.alternation(depth + 1);
    if (!this.take(")")) throw this.wrong("missing closing )");
    this.flags = outer;
    return { source: `(?:${inner.source})`, repeats: inner.repeats };
  }

  /** Reads what follows a backslash outside of a class. */
  private escaped(): string {
    if (this.take("A")) return "^";
    if (this.take("z")) return "$";
    if (this.peek("b") || this.peek("B")) {
      if (this.flags.fold) throw this.unsupported("\\b with (?i)");
      this.cased();
      const inside = this.next() === "B";
      return inside
        ? `(?:(?<=${word})(?=${word})|(?<!${word})(?!${word}))`
        : `(?:(?<=${word})(?!${word})|(?<!${word})(?=${word}))`;
    }
    const set = this.set(true);
    return set ?? this.literal(this.character());
  }

  /** Reads \d, \pL and the like, after the backslash; null if something else follows. */
  private set(alone: boolean): string | null {
    const c = this.chars[this.at] ?? "";
    const group = perl[c.toLowerCase()];
    if (group) {
      this.at++;
      return this.written(group, c !== c.toLowerCase(), alone);
    }
    if (c !== "p" && c !== "P") return null;
    this.at++;
    let name = this.next();
    if (name === "{") {
      name = "";
      for (let n = this.next(); n !== "}"; n = this.next()) name += n;
    }
    let not = c === "P";
    if (name.startsWith("^")) {
      not = !not;
      name = name.slice(1);
    }
    this.cased();
    const property = this.property(name);
    if (!not) return alone ? `[\\p{${property}}]` : `\\p{${property}}`;
    if (alone) return `[^\\p{${property}}]`;
    if (this.flags.fold) throw this.unsupported("a negated class in another class with (?i)");
    return `\\P{${property}}`;
  }

  /** Writes a set of ranges, or what is not in it. */
  private written(group: readonly Range[], not: boolean, alone: boolean): string {
    this.cased();
    if (alone) return `[${not ? "^" : ""}${classOf(group)}]`;
    if (not && this.flags.fold) throw this.unsupported("a negated class in another class with (?i)");
    return classOf(not ? complement(group) : group);
  }

  /** Returns JavaScript's name of a Unicode category or script. */
  private property(name: string): string {
    const known = (property: string): boolean => {
      try {
        return new RegExp(`\\p{${property}}`, "u").test("") || true;
      } catch {
        return false;
      }
    };
    if (name === "C") throw this.unsupported("\\pC");
    if (["Any", "ASCII", "Assigned", "LC"].includes(name)) return name;
    if (/^[LMNPSZC][a-z]?$/.test(name) && known(`General_Category=${name}`)) return `General_Category=${name}`;
    if (/^[A-Z][A-Za-z_]{2,}$/.test(name) && known(`Script=${name}`)) return `Script=${name}`;
    throw this.wrong("invalid or unsupported character class range");
  }

  /** Reads an escaped character, after the backslash. */
  private character(): string {
    const c = this.next();
    const simple = { a: "\x07", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v" }[c];
    if (simple !== undefined) return simple;
    if (c === "x") return this.hex();
    if (/[0-7]/.test(c) && (c === "0" || /[0-7]/.test(this.chars[this.at] ?? ""))) {
      let digits = c;
      while (digits.length < 3 && /^[0-7]$/.test(this.chars[this.at] ?? "")) digits += this.next();
      return String.fromCodePoint(parseInt(digits, 8));
    }
    if (/[\x00-\x7f]/.test(c) && !/[0-9A-Za-z]/.test(c)) return c;
    throw this.wrong("invalid escape sequence");
  }

  private hex(): string {
    const found = /^(?:\{([0-9A-Fa-f]+)\}|([0-9A-Fa-f]{2}))/.exec(this.chars.slice(this.at, this.at + 32).join(""));
    const value = parseInt(found?.[1] ?? found?.[2] ?? "", 16);
    if (!found || value > last) throw this.wrong("invalid escape sequence");
    this.at += found[0].length;
    return String.fromCodePoint(value);
  }

  private class(): string {
    this.take("[");
    this.cased();
    const not = this.take("^");
    let source = "";
    for (let first = true; first || !this.peek("]"); first = false) {
      if (this.end()) throw this.wrong("missing closing ]");
      source += this.item();
    }
    this.take("]");
    return `[${not ? "^" : ""}${source}]`;
  }

  /** Reads one item of a class: a set, a character or a range. */
  private item(): string {
    const named = /^\[:(\^?)([^\]]*?):\]/.exec(this.chars.slice(this.at).join(""));
    if (named) {
      const name = named[2] ?? "";
      const group = Object.hasOwn(posix, name) ? posix[name] : undefined;
      if (!group) throw this.wrong("invalid character class range");
      this.at += [...named[0]].length;
      return this.written(group, named[1] !== "", false);
    }
    if (this.peek("\\")) {
      this.at++;
      const set = this.set(false);
      if (set !== null) return set;
      this.at--;
    }
    const from = this.one();
    let to = from;
    if (this.peek("-") && this.at + 1 < this.chars.length && this.chars[this.at + 1] !== "]") {
      this.take("-");
      to = this.one();
    }
    if (to < from) throw this.wrong("invalid character class range");
    return `${code(from)}-${code(to)}`;
  }

  private one(): number {
    const c = this.take("\\") ? this.character() : this.next();
    return c.codePointAt(0) ?? 0;
  }
}
