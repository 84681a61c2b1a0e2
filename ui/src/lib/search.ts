import { Kind, type Frame } from "./decode.ts";

export interface Search {
  readonly match: Uint8Array; // per frame
  readonly frames: number; // how many match
  readonly note: "" | "kind" | "literal"; // unknown kind, or not a regular expression
}

const kinds: Record<string, Kind> = { own: Kind.Own, std: Kind.Std, dep: Kind.Dependency, other: Kind.Unknown };

/**
 * Finds frames. A query is a regular expression on names; "file:", "pkg:" and
 * "kind:" before it match these instead. Case matters if the query has upper case.
 */
export function search(frames: readonly Frame[], query: string): Search | null {
  query = query.trim();
  if (query === "") return null;
  const match = new Uint8Array(frames.length);
  let count = 0;
  const mark = (test: (f: Frame) => boolean) => {
    frames.forEach((f, i) => {
      if (test(f)) {
        match[i] = 1;
        count++;
      }
    });
  };
  const [, field, rest] = /^(file:|pkg:|kind:)?\s*(.*)$/s.exec(query)!;
  let note: Search["note"] = "";
  if (field === "kind:") {
    const kind = kinds[rest];
    if (kind === undefined) note = "kind";
    else mark((f) => f.kind === kind);
  } else if (rest !== "") {
    let re: RegExp;
    const flags = /\p{Lu}/u.test(rest.replace(/\\./g, "")) ? "" : "i";
    try {
      re = new RegExp(rest, flags);
    } catch {
      re = new RegExp(rest.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), flags);
      note = "literal";
    }
    const of = field === "file:" ? (f: Frame) => f.file : field === "pkg:" ? (f: Frame) => f.pkg : (f: Frame) => f.name;
    mark((f) => re.test(of(f)));
  }
  return { match, frames: count, note };
}

/** A query that finds exactly this text. */
export function exactly(text: string, field = ""): string {
  return `${field}^${text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}$`;
}
