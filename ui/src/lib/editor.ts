import type { Editor } from "../api/v1.ts";

/**
 * The address of a line of a file in an editor; "" without one, and for files that are not of its module. file is a
 * path in the module, or what the compiler wrote down: the absolute path or, with -trimpath, the import path and the
 * name. own is false of files that may be of another module: then only the last two are addresses in this one.
 */
export function editorAddress(editor: Editor | null | undefined, file: string, line: number, own = true): string {
  if (!editor) return "";
  const above = [editor.dir, editor.module].find((d) => d !== "" && file.startsWith(`${d}/`));
  if (above === undefined && !own) return "";
  const parts = (above === undefined ? file : file.slice(above.length + 1)).split("/");
  if (/[\\\0\n]/.test(file) || /^[a-z]:/i.test(parts[0]!)) return "";
  if (parts.some((p) => p === "" || p === "." || p === "..")) return ""; // it is elsewhere
  const path = parts.map(encodeURIComponent).join("/");
  return editor.address.replace("{file}", () => path).replace("{line}", () => String(Math.max(line, 1)));
}
