import { signal } from "@preact/signals";
import { address, get, getChanged, isSaved, locked } from "../api/client.ts";
import type { FileList, WorkbenchFile } from "../api/v1.ts";
import { isPartial } from "../lib/partial.ts";
import { parseStoreName } from "../lib/selector.ts";

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
    const news = await getChanged<FileList>("/files", tag);
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

/** The address of a profile of a file in pprof's format. */
export function pprofAddress(name: string, part = ""): string {
  const query = parseStoreName(name);
  return query ? address("/store/merge", { ...query }) : address("/download", { file: name, part });
}

/** The first of some profiles that a recording has, to be saved in pprof's format. */
export function pprofOf(
  about: WorkbenchFile | null,
  name: string,
  parts: readonly string[],
): readonly { key: "share.pprof"; href: string }[] {
  const part = parts.find((p) => about?.profiles?.some((have) => have.name === p));
  return part ? [{ key: "share.pprof", href: pprofAddress(name, part) }] : [];
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
