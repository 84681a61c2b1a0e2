import { signal } from "@preact/signals";
import type { Key } from "../texts/index.ts";
import type { Help } from "../views/pagehelp.ts";
import { nextTheme, resolveTheme, storedTheme, storeTheme, type Theme } from "./theme.ts";

/** The colors, and what they resolve to. */
export const theme = signal<Theme>(storedTheme());
export const shade = signal<"light" | "dark">(resolveTheme(theme.value));

export function applyTheme(): void {
  shade.value = resolveTheme(theme.value);
  document.documentElement.dataset["theme"] = shade.value;
}

export function turnTheme(): void {
  theme.value = nextTheme(theme.value);
  storeTheme(theme.value);
  applyTheme();
}

/** A line that is read out and shown for a moment. */
export const message = signal("");
let timer = 0;

export function say(text: string): void {
  message.value = text;
  clearTimeout(timer);
  timer = window.setTimeout(() => (message.value = ""), 4000);
}

/** Which dialog is open. */
export const dialog = signal<"" | "help" | "palette" | "share">("");

/** A command of the palette. */
export interface Command {
  readonly kind: "view" | "file" | "function" | "action";
  readonly text: string;
  readonly more?: string;
  run(): void;
}

/** What the view at hand adds to the palette: its functions, its actions. */
export const viewCommands = signal<readonly Command[]>([]);

/** How the view at hand is shared. */
export interface Sharing {
  /** The command line of whet that shows the same. */
  readonly command?: readonly string[];
  /** Files to save: the key of their text, and their address or what makes them. */
  readonly files?: readonly { key: Key; href?: string; make?: () => void | Promise<void> }[];
}
export const sharing = signal<Sharing>({});

/** What keys do in the view at hand. */
export const viewKeys = signal<readonly (readonly [string, Key])[]>([]);

/** What a view says of itself and of its keys in the help, if its texts are its own. */
export const viewHelp = signal<Help | null>(null);

/** Saves text or a picture as a file. */
export function save(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const a = document.createElement("a");
  a.href = url;
  a.download = name;
  document.body.append(a);
  a.click();
  a.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** Rows as CSV. Cells that a spreadsheet would take for a formula are quoted as text. */
export function csv(rows: readonly (readonly (string | number)[])[]): Blob {
  const cell = (c: string | number) => {
    if (typeof c === "number") return String(c);
    const safe = /^[=+\-@\t\r]/.test(c) ? `'${c}` : c;
    return `"${safe.replaceAll('"', '""')}"`;
  };
  return new Blob([rows.map((r) => r.map(cell).join(",")).join("\r\n") + "\r\n"], { type: "text/csv" });
}
