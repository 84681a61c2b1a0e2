/** A function's name without the directories of its package. */
export function shortName(name: string): string {
  // Slashes within parameters and type arguments are not the package's.
  const stop = name.search(/[([<{ ]/);
  const slash = name.lastIndexOf("/", stop < 0 ? name.length : stop);
  // "(" may begin a Go receiver, "pkg.(*T).M", but never occurs in its path.
  return slash > 0 && slash + 1 < name.length ? name.slice(slash + 1) : name;
}

/** A Go function's name without its package: "(*T).Method", "F.func1". */
export function bareName(name: string): string {
  const short = shortName(name);
  const m = /^[^.()[\]<> :]+\.(?=[^.])/.exec(short);
  return m ? short.slice(m[0].length) : short;
}

/** The last part of a Go function's name: "Method" of "(*T).Method". */
export function methodName(name: string): string {
  const bare = bareName(name);
  const at = bare.startsWith("(*") ? bare.indexOf(").") : -1;
  return at > 0 ? bare.slice(at + 2) : bare;
}

/** A number that depends on the text alone, for colors. */
export function hash(text: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) {
    h ^= text.charCodeAt(i);
    h = Math.imul(h, 0x01000193);
  }
  h ^= h >>> 15;
  return h >>> 0;
}
