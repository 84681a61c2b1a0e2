import { computed, signal } from "@preact/signals";
import { plain } from "../lib/plain.ts";
import { fileParams, rawName, shownName } from "../lib/rawname.ts";

/** The view and its parameters, which the address holds, so that a link reproduces it. */
export interface Route {
  readonly view: string; // "", "overview", "flame", …
  readonly params: ReadonlyMap<string, string>;
}

/** What addresses of views begin with: in a page that was saved, they are fragments of its address. */
const prefix = document.getElementById("whet-saved") ? "#" : "";

/** The address of the view at hand. */
function here(): string {
  return prefix ? location.hash : location.pathname + location.search;
}

/** A parameter as it is shown: links come from anywhere. */
function shown(key: string, value: string): string {
  return fileParams.has(key) ? shownName(value) : plain(value);
}

function read(): Route {
  const [path, query] = here().slice(prefix.length).split("?", 2);
  return {
    view: (path ?? "").replace(/^\/+|\/+$/g, ""),
    params: new Map([...new URLSearchParams(query ?? "")].map(([k, v]) => [k, shown(k, v)])),
  };
}

/**
 * Views that are separate documents: their styles and keys are those of the saved pages, and end
 * with them.
 */
const documents: ReadonlySet<string> = new Set(["timeline", "load", "bench"]);

export const route = signal<Route>(read());

window.addEventListener("popstate", () => (route.value = read())); // fragments that change, too

/** A parameter of the view; "" without one. */
export function param(name: string): string {
  return route.value.params.get(name) ?? "";
}

export const file = computed(() => param("file"));

/** The address of a view. Parameters that are empty are left out. */
export function link(view: string, params: Record<string, string | undefined> = {}): string {
  const q = new URLSearchParams();
  for (const [k, v] of Object.entries(params)) if (v) q.set(k, fileParams.has(k) ? rawName(v) : v);
  // Slashes and colons are fine in queries, and easier to read.
  const text = q.toString().replace(/%2F/g, "/").replace(/%3A/g, ":");
  return `${prefix}/${view}${text ? `?${text}` : ""}`;
}

/** Goes to a view; Back returns unless replace is set. */
export function go(to: string, replace = false): void {
  if (to === here()) return;
  const view = to.slice(prefix.length + 1).split("?", 1)[0]!;
  if (!prefix && (documents.has(view) || documents.has(route.value.view))) {
    location[replace ? "replace" : "assign"](to);
    return;
  }
  try {
    if (replace) history.replaceState({ steps: steps() }, "", to);
    else history.pushState({ steps: steps() + 1 }, "", to);
  } catch {
    // Browsers limit changes per second; the state is shown all the same.
  }
  route.value = read();
}

/** Changes parameters of this view. */
export function change(params: Record<string, string | undefined>, replace = false): void {
  const all: Record<string, string | undefined> = { ...Object.fromEntries(route.value.params), ...params };
  go(link(route.value.view, all), replace);
}

/** How many steps Back stays in these pages. */
export function steps(): number {
  const s: unknown = history.state;
  return typeof s === "object" && s !== null && "steps" in s && typeof s.steps === "number" ? s.steps : 0;
}

/** Lets links within these pages change the view without loading a document. */
export function followLinks(root: HTMLElement): void {
  root.addEventListener("click", (e) => {
    if (e.defaultPrevented || e.button !== 0 || e.ctrlKey || e.metaKey || e.shiftKey || e.altKey) return;
    const a = e.target instanceof Element ? e.target.closest("a") : null;
    if (!a || a.target || a.hasAttribute("download") || a.origin !== location.origin) return;
    const to = prefix ? a.hash : a.pathname + a.search;
    if (prefix && !to.startsWith("#/")) return;
    e.preventDefault();
    go(to);
  });
}
