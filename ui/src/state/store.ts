import { fromHash, initial, toHash, type ViewState } from "../lib/hash.ts";

export type Listener = (now: ViewState, before: ViewState) => void;

/**
 * Holds the view's state and keeps the URL's fragment in sync. A step that the
 * browser's Back button should undo gets a history entry.
 */
export class Store {
  private current: ViewState;
  private readonly listeners: Listener[] = [];
  private writing = "";

  constructor() {
    this.current = fromHash(location.hash);
    this.writing = toHash(this.current);
    window.addEventListener("hashchange", () => {
      const hash = location.hash.replace(/^#/, "");
      if (hash === this.writing) return;
      this.writing = hash;
      this.change(fromHash(hash));
    });
  }

  get state(): ViewState {
    return this.current;
  }

  /** The number of earlier views of this page. */
  private get steps(): number {
    const s: unknown = history.state;
    return typeof s === "object" && s !== null && "steps" in s && typeof s.steps === "number" ? s.steps : 0;
  }

  get canGoBack(): boolean {
    return this.steps > 0;
  }

  listen(l: Listener): void {
    this.listeners.push(l);
  }

  /** Changes parts of the state. step: Back returns to the previous state. */
  set(part: Partial<ViewState>, step = false): void {
    const next = { ...this.current, ...part };
    const hash = toHash(next);
    if (hash !== toHash(this.current)) {
      this.writing = hash;
      const url = hash === "" ? location.pathname + location.search : `#${hash}`;
      try {
        if (step) history.pushState({ steps: this.steps + 1 }, "", url);
        else history.replaceState({ steps: this.steps }, "", url);
      } catch {
        // Some browsers limit changes per second, or allow none for files.
      }
    }
    this.change(next);
  }

  reset(): void {
    this.set({ ...initial, type: this.current.type }, true);
  }

  private change(next: ViewState): void {
    const before = this.current;
    this.current = next;
    for (const l of this.listeners) l(next, before);
  }
}
