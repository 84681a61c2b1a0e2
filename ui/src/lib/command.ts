/** A word of a command line, quoted for a POSIX shell where it must be. */
export function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** The command line of words; those that are empty are left out. */
export function commandLine(words: readonly string[]): string {
  return words
    .filter((w) => w !== "")
    .map(quote)
    .join(" ");
}
