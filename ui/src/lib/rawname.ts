import { plain } from "./plain.ts";

/**
 * The names of files as the server knows them, by how they are shown: control and reordering characters in them are
 * replaced in the page.
 */
const raw = new Map<string, string>();

/** How a file's name is shown; rawName returns the name again. */
export function shownName(name: string): string {
  const shown = plain(name);
  if (shown !== name) raw.set(shown, name);
  return shown;
}

/** The name of a file that is shown with this name. */
export function rawName(shown: string): string {
  return raw.get(shown) ?? shown;
}

/** Parameters of addresses that name files. */
export const fileParams: ReadonlySet<string> = new Set(["file", "base", "diff_base"]);
