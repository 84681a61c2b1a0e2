import type { Page, View } from "../lib/decode.ts";
import { percent } from "../lib/format.ts";
import type { Color, ViewState } from "../lib/hash.ts";
import { matchedMass } from "../lib/scene.ts";
import { exactly } from "../lib/search.ts";
import { REST } from "../lib/tree.ts";
import { Model } from "../state/model.ts";
import { Store } from "../state/store.ts";
import { themes, nextTheme, resolveTheme, storedTheme, storeTheme } from "../state/theme.ts";
import { flameTexts } from "../texts/flame.ts";
import { Crumbs } from "./crumbs.ts";
import { sentence } from "./describe.ts";
import { Details } from "./details.ts";
import { choice, h } from "./dom.ts";
import { Graph } from "./graph.ts";
import { help } from "./help.ts";
import { Legend } from "./legend.ts";
import { Table } from "./table.ts";
import { Tooltip } from "./tooltip.ts";

/** The share of a view's cost in boxes that sum several calls. */
function restShare(view: View): number {
  const { frame, mass, n } = view.tree;
  let rest = 0;
  for (let i = 1; i < n; i++) if (frame[i] === REST) rest += mass[i];
  return mass[0] > 0 ? rest / mass[0] : 0;
}

/** Builds the page and keeps its parts in sync with the state. */
export function start(page: Page, root: HTMLElement): void {
  const model = new Model(page);
  const store = new Store();
  let theme = storedTheme();
  document.documentElement.dataset.theme = resolveTheme(theme);

  const status = h("div", { class: "status", role: "status", "aria-live": "polite" });
  const say = (text: string) => (status.textContent = text);
  const fresh = { zoom: 0, range: null } as const;
  const focusOn = (frame: number) => store.set({ shape: "focus", focus: frame, table: false, ...fresh }, true);
  const findFrame = (frame: number) => store.set({ query: exactly(page.frames[frame].name), table: false });

  const tooltip = new Tooltip(page.frames);
  const details = new Details(model, {
    close: () => graph.select(-1),
    focus: focusOn,
    find: findFrame,
    zoom: (box) => {
      graph.select(box);
      graph.zoomTo(box);
    },
    say,
  });
  const graph = new Graph(store, model, {
    hover: (box, x, y) => {
      if (box < 0) tooltip.hide();
      else tooltip.show(graph.currentScene, graph.currentView, box, graph.zoomBox(), x, y);
    },
    select: (box) => details.show(graph.currentScene, graph.currentView, box, graph.zoomBox()),
    focus: (box) => say(sentence(graph.currentScene, page.frames, graph.currentView, box, graph.zoomBox())),
  });
  const crumbs = new Crumbs(page.frames, (box) => graph.zoomTo(box));
  const legend = new Legend(model, (query) => store.set({ query }));
  const table = new Table(model, focusOn);
  const dialog = help();

  // The toolbar.
  const types = h(
    "select",
    {
      "aria-label": "Sample type",
      onchange: () => {
        const next: ViewState = { ...store.state, type: types.value };
        store.set({ type: types.value, zoom: graph.translate(next), range: null }, true);
      },
    },
    ...page.views.map((v) =>
      h("option", { value: v.type }, v.unit && v.unit !== "count" ? `${v.type} (${v.unit})` : v.type),
    ),
  );
  const show = choice(
    "Show",
    [
      ["graph", "Graph"],
      ["table", "Table", "The heaviest functions as a table (t)"],
    ],
    (v) => store.set({ table: v === "table" }),
  );
  const shape = choice(
    "Direction",
    [
      ["down", "Top-down", "From the outermost callers to what they call"],
      ["up", "Bottom-up", "From the functions with the cost to their callers (i)"],
      ["focus", "One function", "Callers and callees of one function"],
    ],
    (v) => {
      if (v === "down" || v === "up") store.set({ shape: v, focus: -1, ...fresh }, true);
    },
  );
  const flip = choice(
    "Root",
    [
      ["top", "Icicle", "Root at the top (f)"],
      ["bottom", "Flame", "Root at the bottom (f)"],
    ],
    (v) => store.set({ flip: v === "bottom" }),
  );
  const order = h(
    "select",
    { "aria-label": "Order", onchange: () => store.set({ byName: order.value === "name", ...fresh }) },
    h("option", { value: "weight" }, "heaviest first"),
    h("option", { value: "name" }, "by name"),
  );
  const orderLabel = h("label", {}, h("span", {}, "Order"), order);
  const color = h(
    "select",
    { "aria-label": "Color by", onchange: () => store.set({ color: color.value as Color }) },
    h("option", { value: "kind" }, "by kind of code"),
    h("option", { value: "package" }, "by package"),
    page.views.some((v) => v.signed) ? h("option", { value: "diff" }, "by difference") : null,
  );
  const box = h("input", {
    type: "search",
    placeholder: "Search (regexp)",
    "aria-label": "Search functions by regular expression",
    spellcheck: "false",
    autocomplete: "off",
    oninput: () => store.set({ query: box.value }),
    onkeydown: (e: KeyboardEvent) => {
      if (e.key === "Enter") graph.stepMatch(e.shiftKey ? -1 : 1);
      else if (e.key === "Escape") {
        if (box.value) store.set({ query: "" });
        box.blur();
      } else return;
      e.preventDefault();
    },
  });
  const found = h("output", { class: "found", "aria-live": "polite" });
  const back = h(
    "button",
    { type: "button", title: "Back to the previous view (Backspace)", onclick: () => history.back() },
    "← Back",
  );
  const reset = h("button", { type: "button", title: "Show everything (0)", onclick: () => store.reset() }, "Reset");
  const themeButton = h("button", {
    type: "button",
    onclick: () => {
      theme = nextTheme(theme);
      storeTheme(theme);
      applyTheme();
    },
  });
  const applyTheme = () => {
    document.documentElement.dataset.theme = resolveTheme(theme);
    themeButton.textContent = themes[theme].sign;
    themeButton.title = themeButton.ariaLabel = `Colors: ${themes[theme].title}`;
    graph.repaint();
    legend.show(model.view(store.state), model.color(store.state), graph.colors);
  };
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", applyTheme);

  const emptyNote = h("p", { class: "note", hidden: true }, "Nothing to show: no sample has a value of this type.");
  const partNote = h("p", { class: "note", hidden: true });
  root.replaceChildren(
    h(
      "header",
      {},
      h(
        "div",
        { class: "title" },
        h("h1", {}, page.title || "profile"),
        h("dl", {}, ...page.facts.map((f) => h("div", {}, h("dt", {}, f.name), h("dd", {}, f.value)))),
        h(
          "div",
          { class: "corner" },
          themeButton,
          h(
            "button",
            { type: "button", title: "Keys and meaning (?)", "aria-label": "Help", onclick: () => dialog.showModal() },
            "?",
          ),
        ),
      ),
      h(
        "div",
        { class: "toolbar", role: "group", "aria-label": "View" },
        page.views.length > 1 ? types : null,
        show.el,
        shape.el,
        flip.el,
        orderLabel,
        h("label", {}, h("span", {}, "Color"), color),
        h("div", { class: "search", role: "search" }, box),
      ),
      h("div", { class: "path" }, back, reset, crumbs.el, found),
      ...page.notes.map((n) => {
        const note: HTMLElement = h("p", { class: "note", title: n, onclick: () => note.classList.toggle("open") }, n);
        return note;
      }),
      partNote,
      emptyNote,
    ),
    h("main", {}, graph.el, table.el, details.el),
    h("footer", {}, legend.el, status),
    tooltip.el,
    dialog,
  );

  const render = (now: ViewState, before: ViewState | null) => {
    const view = model.view(now);
    const { scene, cut } = model.scene(now);
    types.value = view.type;
    show.show(now.table ? "table" : "graph");
    shape.show(now.shape);
    for (const el of [shape.el, flip.el, orderLabel]) el.hidden = now.table;
    shape.enable("focus", now.shape === "focus");
    flip.show(now.flip ? "bottom" : "top");
    order.value = now.byName ? "name" : "weight";
    color.value = model.color(now);
    if (box.value !== now.query) box.value = now.query;
    // Bottom-up and one-function views come from the page's tree, not from the profile.
    const missing = now.shape === "down" ? 0 : restShare(view);
    partNote.textContent = [
      missing > 0
        ? `Computed from the calls on this page; ${percent(missing, 1)} of the cost is in calls too light to be on it.`
        : "",
      cut ? "Distant callers of light frames are left out." : "",
    ]
      .join(" ")
      .trim();
    partNote.hidden = partNote.textContent === "";
    emptyNote.hidden = scene.width > 0;
    graph.el.hidden = now.table;
    table.el.hidden = !now.table;
    tooltip.hide();
    const result = model.search(now.query);
    if (now.table) table.show(view, result?.match ?? null);
    graph.update(now, before);
    const zoom = graph.zoomBox(now);
    crumbs.show(scene, zoom, view.total);
    back.disabled = !store.canGoBack;
    reset.disabled = zoom === 0 && !now.range && now.shape === "down";
    legend.show(view, model.color(now), graph.colors);
    const note = result?.note ? flameTexts.t(`note.${result.note}`) : "";
    if (!result) found.textContent = "";
    else if (result.frames === 0) found.textContent = note || "nothing found";
    else {
      const part = matchedMass(scene, result.match);
      const here = zoom > 0 ? `, ${percent(matchedMass(scene, result.match, zoom), scene.w[zoom])} of zoomed` : "";
      const functions = `${result.frames} function${result.frames === 1 ? "" : "s"}`;
      found.textContent = `${percent(part, view.total)}${here} · ${functions}${note && ` (${note})`}`;
    }
    if (before && (before.zoom !== now.zoom || before.shape !== now.shape) && !now.range) {
      say(sentence(scene, page.frames, view, zoom, 0));
    }
  };
  store.listen(render);
  render(store.state, null);
  applyTheme();

  document.addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || e.defaultPrevented || dialog.open) return;
    const at = e.target as HTMLElement;
    if (at.matches("input, select, textarea")) return;
    const s = store.state;
    switch (e.key) {
      case "/":
        box.focus();
        box.select();
        break;
      case "?":
        dialog.showModal();
        break;
      case "0":
      case "Home":
        store.set(fresh, true);
        break;
      case "Backspace":
        if (store.canGoBack) history.back();
        break;
      case "Escape":
        if (!details.el.hidden) graph.select(-1);
        else if (s.query) store.set({ query: "" });
        else if (s.range || s.zoom > 0) graph.zoomTo(s.range ? s.zoom : Math.max(0, graph.currentScene.parent[s.zoom]));
        else if (s.shape === "focus") store.set({ shape: "down", focus: -1, ...fresh }, true);
        break;
      case "n":
        graph.stepMatch(1);
        break;
      case "p":
      case "N":
        graph.stepMatch(-1);
        break;
      case "i":
        store.set({ shape: s.shape === "up" ? "down" : "up", focus: -1, ...fresh }, true);
        break;
      case "f":
        store.set({ flip: !s.flip });
        break;
      case "t":
        store.set({ table: !s.table });
        break;
      default:
        return;
    }
    e.preventDefault();
  });

  // For tests: document.querySelector("main").dataset.
  const main = graph.el.parentElement!;
  main.dataset.ready = "1";
  main.addEventListener("whet:stats", () => {
    main.dataset.boxes = String(graph.stats.boxes);
    main.dataset.ms = graph.stats.milliseconds.toFixed(2);
    main.dataset.n = String(graph.currentScene.n);
  });
}
