import type { Page, View } from "../lib/decode.ts";
import { bottomUp, callees, callers } from "../lib/reshape.ts";
import { makeScene, type Scene } from "../lib/scene.ts";
import { search, type Search } from "../lib/search.ts";
import type { Color, ViewState } from "../lib/hash.ts";

/** Everything derived from the page's data and the view state, computed once. */
export class Model {
  private readonly scenes = new Map<string, { scene: Scene; cut: boolean }>();
  private readonly names: string[];
  private lastSearch: { query: string; result: Search | null } = { query: "", result: null };

  constructor(readonly page: Page) {
    this.names = page.frames.map((f) => f.name);
  }

  view(s: ViewState): View {
    return this.page.views.find((v) => v.type === s.type) ?? this.page.views[0];
  }

  /** The boxes to draw; cut if distant callers had to be left out. */
  scene(s: ViewState): { scene: Scene; cut: boolean } {
    const view = this.view(s);
    const shape = s.shape === "focus" && s.focus >= this.names.length ? "down" : s.shape;
    const key = [this.page.views.indexOf(view), shape, shape === "focus" ? s.focus : "", s.byName].join();
    let made = this.scenes.get(key);
    if (!made) {
      if (this.scenes.size > 12) this.scenes.clear();
      const names = s.byName ? this.names : undefined;
      if (shape === "up") {
        const r = bottomUp(view.tree);
        made = { scene: makeScene(r.tree, names), cut: r.cut };
      } else if (shape === "focus") {
        const up = callers(view.tree, s.focus);
        made = { scene: makeScene(callees(view.tree, s.focus).tree, names, up.tree), cut: up.cut };
      } else {
        made = { scene: makeScene(view.tree, names, undefined, view.ordered), cut: false };
      }
      this.scenes.set(key, made);
    }
    return made;
  }

  search(query: string): Search | null {
    if (query !== this.lastSearch.query) this.lastSearch = { query, result: search(this.page.frames, query) };
    return this.lastSearch.result;
  }

  /** The default coloring of boxes. */
  color(s: ViewState): Color {
    if (s.color) return s.color;
    if (this.view(s).signed) return "diff";
    return this.page.frames.some((f) => f.kind !== 0) ? "kind" : "package";
  }
}
