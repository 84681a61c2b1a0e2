import { signal } from "@preact/signals";
import { address, get, getChanged, isSaved, locked } from "../api/client.ts";
import type { FileList, WorkbenchFile } from "../api/v1.ts";
import { isPartial } from "../lib/partial.ts";
import { shownName } from "../lib/rawname.ts";
import { parseStoreName } from "../lib/selector.ts";
import type { Key } from "../texts/index.ts";

/** The files that the server shows; null until they are known. */
export const files = signal<FileList | null>(null);
export const filesError = signal<unknown>(null);

const interval = 3000;
let tag = "";
let timer = 0;

/** Looks for new files now, and then every few seconds while the page is visible. */
export async function watchFiles(): Promise<void> {
  clearTimeout(timer);
  try {
    const news = await getChanged<FileList>("/files", tag, (list) => list.files?.forEach((f) => shownName(f.name)));
    if (news) {
      files.value = news.value;
      tag = news.tag;
    }
    filesError.value = null;
  } catch (err) {
    filesError.value = err;
  }
  if (!locked.value && !isSaved()) again();
}

function again(): void {
  timer = window.setTimeout(() => (document.hidden ? again() : void watchFiles()), interval);
}

/** The texts of files that have what filters keep. */
const filteredKeys = {
  "share.pprof": "share.pprof.filtered",
  "share.before": "share.before.filtered",
  "share.after": "share.after.filtered",
} as const;

/** What filters keep of a file's profile, as the API names them, to be saved in pprof's format; all without any. */
export function pprofFile(
  key: keyof typeof filteredKeys,
  name: string,
  part = "",
  filters: Readonly<Record<string, string | undefined>> = {},
): { key: Key; href: string } {
  if (Object.values(filters).some(Boolean))
    return { key: filteredKeys[key], href: address("/download", { file: name, part, ...filters }) };
  const query = parseStoreName(name);
  return { key, href: query ? address("/store/merge", { ...query }) : address("/download", { file: name, part }) };
}

/**
 * The first of some profiles that a recording has, to be saved in pprof's format. filtered says that the view shows
 * less of it, by filters that profiles do not have.
 */
export function pprofOf(
  about: WorkbenchFile | null,
  name: string,
  parts: readonly string[],
  filtered = false,
): readonly { key: "share.pprof" | "share.pprof.whole"; href: string }[] {
  const part = parts.find((p) => about?.profiles?.some((have) => have.name === p));
  if (!part) return [];
  return [{ key: filtered ? "share.pprof.whole" : "share.pprof", href: pprofFile("share.pprof", name, part).href }];
}

const known = new Map<string, Promise<WorkbenchFile>>();

/** What a file says about itself, once for each state of the file, unless shards of the store are missing. */
export function aboutFile(name: string): Promise<WorkbenchFile> {
  const f = files.value?.files?.find((f) => f.name === name);
  const key = `${name}\n${f?.bytes ?? ""}\n${f?.modified ?? ""}`;
  let found = known.get(key);
  if (!found) {
    found = get<WorkbenchFile>("/file", { file: name });
    found.then(
      // It changes when the shards are back.
      (about) => about.warnings?.some(isPartial) && known.delete(key),
      () => known.delete(key),
    );
    known.set(key, found);
  }
  return found;
}
