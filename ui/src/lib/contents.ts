/** What the contents of a page and its filters compute. No DOM. */

/** The names that a parameter of an address lists. */
export function namesIn(param: string): string[] {
  return param
    .split(",")
    .filter((n) => n !== "")
    .map((n) => n.replaceAll("%2C", ",").replaceAll("%25", "%"));
}

/** A parameter with a name more or, if it has that name, without it. */
export function turned(param: string, name: string): string {
  const had = namesIn(param);
  const names = had.includes(name) ? had.filter((n) => n !== name) : [...had, name];
  return names.map((n) => n.replaceAll("%", "%25").replaceAll(",", "%2C")).join(",");
}

/** How often each name is in a list, the most frequent first. Those of the second list are there, too, with 0. */
export function counted(names: readonly string[], also: readonly string[]): [name: string, n: number][] {
  const all = new Map<string, number>();
  for (const n of names) all.set(n, (all.get(n) ?? 0) + 1);
  for (const n of also) if (!all.has(n)) all.set(n, 0);
  return [...all].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
}

/** Whether the texts together have all words of a query, in any case. */
export function hasWords(query: string, texts: readonly (string | undefined)[]): boolean {
  const all = texts.join(" ").toLowerCase();
  return query.toLowerCase().split(/\s+/).every((w) => all.includes(w));
}

/** Names for elements, each once: those that occur again get a number. */
export function distinct(ids: readonly string[]): string[] {
  const seen = new Set<string>();
  return ids.map((id) => {
    let name = id;
    for (let n = 2; seen.has(name); n++) name = `${id}-${n}`;
    seen.add(name);
    return name;
  });
}
