import type { JSX } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { address, get, getBytes } from "../api/client.ts";
import type { Line as OwnLine, TagKey, Tags, Top } from "../api/v1.ts";
import { decode, gunzip, Kind, type Page } from "../lib/decode.ts";
import { hexColors } from "../draw/raster.ts";
import { percent, quantity } from "../lib/format.ts";
import type { ViewState } from "../lib/hash.ts";
import { shortName } from "../lib/names.ts";
import { choicesOf, fullType, splitType } from "../lib/sampletype.ts";
import { queryCommand, stemOf } from "../lib/selector.ts";
import { SvgPen } from "../lib/svg.ts";
import { costUnder } from "../lib/reshape.ts";
import { matchedMass } from "../lib/scene.ts";
import { REST } from "../lib/tree.ts";
import { Bar, Choice, Failure, Loading, Warnings } from "../parts/basics.tsx";
import { missingPart, partsAround, useDeeper } from "../parts/deeper.ts";
import { Filter, filterFlags, filterParams, filters, noFilters, TagChip } from "../parts/filters.tsx";
import { MachineCode, Source } from "../parts/source.tsx";
import { VirtualList } from "../parts/virtual.tsx";
import { aboutFile, pprofFile } from "../state/files.ts";
import { functionRows, place, viewState, writeRange, type FlameParams, type FunctionRow } from "../state/flame.ts";
import { useLoad } from "../state/load.ts";
import { Model } from "../state/model.ts";
import { change, file, param } from "../state/route.ts";
import { csv, save, say, shade, sharing, viewCommands, viewKeys } from "../state/shell.ts";
import { number } from "../lib/when.ts";
import { flameTexts } from "../texts/flame.ts";
import { language, t } from "../texts/index.ts";
import { kindKeys, sentence } from "../views/describe.ts";
import { Graph } from "../views/graph.ts";
import { Minimap } from "../views/minimap.ts";
import { Tooltip } from "../views/tooltip.ts";

const row = 42; // height of a line of the list, in pixels

/** What the address has without a part, a function or a search. */
const everything = { at: "", below: "", x: "", fn: "", view: "", q: "", src: "", line: "" };

/** A flame graph with the expensive lines, and their source. */
export function FlameView(): JSX.Element {
  const name = file.value;
  const base = param("base");
  const about = useLoad(`about ${name}`, () => aboutFile(name));
  const choices = useMemo(() => choicesOf(about.value), [about.value]);
  const type = fullType(param("type"), choices);
  const [part, sample] = splitType(type);
  const query: Record<string, string | undefined> = {
    file: name,
    type,
    ...filterParams(),
    diff_base: base,
  };
  const spoken = useLoad(language.value, async () => {
    const others = { ru: () => import("../texts/flame.ru.ts"), zh: () => import("../texts/flame.zh.ts") };
    await flameTexts.speak(language.value, others);
  });
  const ready = about.value !== null || about.error !== null;
  const timed = about.value?.trace === true && type === "cpu:cpu" && !base; // samples of the trace have times
  const time = param("view") === "time";
  // All sample types of a profile come at once; choosing another one of them loads nothing.
  const order = time ? "time" : undefined;
  const graphKey = JSON.stringify(["flame", { ...query, type: part, order }, ready]);
  const picture = useLoad(graphKey, async (signal) => {
    if (!ready) return null;
    const bytes = await getBytes("/flame", { ...query, type: part, order, format: "packed" }, signal);
    return new Model(decode(await gunzip(bytes)));
  });
  const drawn = picture.value !== null || picture.error !== null; // the picture comes first
  const top = useLoad(JSON.stringify(["top", query, drawn]), async (signal) =>
    drawn ? get<Top>("/top", { ...query, n: 20_000 }, signal) : null,
  );
  const labels = useLoad(JSON.stringify(["tags", name, type, drawn]), async (signal) =>
    drawn ? get<Tags>("/tags", { file: name, type, n: 20 }, signal).catch(() => null) : null,
  );
  const params: FlameParams = {
    sample,
    up: param("view") === "up",
    time,
    fn: param("fn"),
    q: param("q"),
    at: param("at"),
    x: param("x"),
    color: param("color"),
    src: param("src"),
  };
  // Only call trees have parts that were left out, and that functions tell apart.
  const deep = !params.up && !time && !params.fn;
  const deeper = useDeeper(deep ? picture.value : null, picture.key, sample, (below, signal) =>
    getBytes("/flame", { ...query, format: "packed", below }, signal),
  );
  const model = deeper.model ?? picture.value;
  const open = (fn: string, line?: number) =>
    change({ src: fn, line: line ? String(line) : undefined, tab: "source", fn: undefined }, false);
  useSharing(name, type, query, model, params, top.value);
  const keys = labels.value?.keys ?? [];
  // Such as that there are too many labels to list.
  const known = new Set((top.value?.warnings ?? []).map((w) => w.text));
  const news = (labels.value?.warnings ?? []).filter((w) => !known.has(w.text));
  const tab = param("tab") || "picture";
  const filtered = filterFlags().length > 0;
  if (about.error !== null) return <Failure error={about.error} again={about.again} />;
  return (
    <div class={`flame tab-${tab} ${params.src ? "with-source" : ""}`}>
      <h1 class="offscreen">
        {name} · {t("app.flame")}
      </h1>
      <div class="flame-bar" role="group" aria-label={t("app.views")}>
        <select
          aria-label={t("flame.type")}
          value={type}
          onChange={(e) =>
            change({ type: e.currentTarget.value, x: undefined, ...(time ? { view: undefined, at: undefined } : {}) })
          }
        >
          {choices.map((c) => (
            <option key={c.value} value={c.value}>
              {c.text}
            </option>
          ))}
        </select>
        <Choice
          label={t("flame.picture")}
          value={time ? "time" : params.fn ? "fn" : params.up ? "up" : "down"}
          options={[
            ["down", t("flame.down")],
            ["up", t("flame.up")],
            ...(timed || time ? ([["time", t("flame.time"), t("flame.time.title")]] as const) : []),
            ...(params.fn && !time ? ([["fn", t("flame.sandwich"), params.fn]] as const) : []),
          ]}
          pick={(v) =>
            v !== "fn" && change({ view: v === "down" ? undefined : v, fn: undefined, at: undefined, x: undefined })
          }
        />
        <Search model={model} params={params} />
        <details class="flame-filters" open={filtered}>
          <summary>{t("flame.filters")}</summary>
          <div class="flame-filter-list">
            {filters.map((f) => (
              <Filter key={f} name={f} />
            ))}
            {keys.length > 0 && (
              <select
                aria-label={t("flame.label")}
                value={param("label")}
                onChange={(e) => change({ label: e.currentTarget.value, at: undefined, x: undefined })}
              >
                <option value="">
                  {t("flame.label")}: {t("flame.nolabel")}
                </option>
                {keys.map((k) => (
                  <option key={k.key} value={k.key}>
                    {t("flame.label")}: {k.key}
                  </option>
                ))}
              </select>
            )}
            {keys.length > 0 && <LabelValue keys={keys} />}
            <TagChip />
            <select
              aria-label={t("flame.color")}
              value={params.color || "kind"}
              onChange={(e) => change({ color: e.currentTarget.value === "kind" ? "" : e.currentTarget.value }, true)}
            >
              <option value="kind">{t("flame.color.kind")}</option>
              <option value="package">{t("flame.color.package")}</option>
            </select>
          </div>
        </details>
        <button
          type="button"
          disabled={!filtered && ["at", "x", "fn", "view", "q", "src"].every((k) => param(k) === "")}
          onClick={() => change({ ...everything, ...noFilters() })}
        >
          {t("flame.reset")}
        </button>
        <div class="flame-tabs choice" role="group" aria-label={t("app.views")}>
          {(["lines", "picture", "source"] as const).map((v) => (
            <button type="button" key={v} aria-pressed={tab === v} onClick={() => change({ tab: v }, true)}>
              {t(`flame.${v}`)}
            </button>
          ))}
        </div>
      </div>
      <Warnings list={[...news, ...(top.value?.warnings ?? [])]} />
      <div class="flame-panes">
        <Lines top={top.value} model={model} params={params} error={top.error} again={top.again} open={open} />
        <div class={`flame-picture ${picture.busy || deeper.busy ? "busy" : ""}`}>
          {picture.error !== null && <Failure error={picture.error} again={picture.again} />}
          {picture.error === null && deeper.error !== null && <Failure error={deeper.error} again={deeper.again} />}
          {(!model || spoken.key === "") && picture.error === null && <Loading />}
          {model && spoken.key !== "" && (
            <Picture key={spoken.key + graphKey} model={model} params={params} settled={deep && !deeper.busy} />
          )}
        </div>
        <SourcePane
          query={query}
          params={params}
          model={model}
          top={top.value}
          busy={picture.busy || picture.key !== graphKey}
          open={open}
        />
      </div>
    </div>
  );
}

/** The values of labels, of which samples can be kept. */
function LabelValue({ keys }: { keys: readonly TagKey[] }): JSX.Element {
  return (
    <select
      aria-label={t("flame.tag")}
      value={param("tag")}
      onChange={(e) => change({ tag: e.currentTarget.value, at: undefined, x: undefined })}
    >
      <option value="">{t("flame.tag")}</option>
      {keys.map((k) => (
        <optgroup key={k.key} label={k.key}>
          {(k.values ?? [])
            .filter((v) => v.filter)
            .map((v) => (
              <option key={v.value} value={v.filter}>
                {k.key}={v.value} · {percent(v.share, 1)}
              </option>
            ))}
        </optgroup>
      ))}
    </select>
  );
}

function Search({ model, params }: { model: Model | null; params: FlameParams }): JSX.Element {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const key = (e: KeyboardEvent) => {
      if (e.key !== "/" || e.ctrlKey || e.metaKey || e.altKey) return;
      if (e.target instanceof Element && e.target.matches("input, select, textarea")) return;
      input.current?.focus();
      input.current?.select();
      e.preventDefault();
    };
    document.addEventListener("keydown", key);
    return () => document.removeEventListener("keydown", key);
  }, []);
  let found = "";
  if (model && params.q) {
    const state = viewState(model, params);
    const r = model.search(params.q);
    const { scene } = model.scene(state);
    if (r)
      found = t("flame.found", { share: percent(matchedMass(scene, r.match), model.view(state).total), n: r.frames });
    if (r?.note) found += ` (${flameTexts.t(`note.${r.note}`)})`;
  }
  return (
    <div class="flame-search" role="search">
      <input
        ref={input}
        type="search"
        placeholder={t("flame.search")}
        aria-label={t("flame.search")}
        spellcheck={false}
        autocomplete="off"
        value={params.q}
        onInput={(e) => change({ q: e.currentTarget.value }, true)}
        onKeyDown={(e) => {
          if (e.key !== "Escape") return;
          change({ q: "" }, true);
          e.currentTarget.blur();
        }}
      />
      <output class="found" aria-live="polite">
        {found}
      </output>
    </div>
  );
}

/** The own lines, most expensive first, or all functions. */
function Lines(props: {
  top: Top | null;
  model: Model | null;
  params: FlameParams;
  error: unknown;
  again: () => void;
  open: (fn: string, line?: number) => void;
}): JSX.Element {
  const { top, model, params } = props;
  const own = top?.own?.lines ?? [];
  const mode = param("list") === "functions" || (top !== null && own.length === 0) ? "functions" : "lines";
  const view = model && viewState(model, params);
  const functions = useMemo(
    () => (model && mode === "functions" ? functionRows(model.page, model.view(view!)) : []),
    [model, mode, params.sample],
  );
  const match = model && params.q ? model.search(params.q)?.match : null;
  const words = params.q.toLowerCase();
  const lines = params.q ? own.filter((l) => `${l.function} ${l.path}`.toLowerCase().includes(words)) : own;
  const rows = match ? functions.filter((f) => match[f.frame]) : functions;
  // In the order of time, the picture has samples of the trace, and lines have the profile's cost.
  const unit = mode === "functions" && model ? model.view(view!).unit : (top?.profile.sample_type.unit ?? "");
  const total = mode === "lines" ? (top?.profile.total ?? 0) : model ? model.view(view!).total : 0;
  const n = mode === "lines" ? lines.length : rows.length;
  const hidden = mode === "lines" && !params.q ? (top?.own?.hidden ?? 0) : 0; // the server answers with so many
  const at = Number(/\d+$/.exec(param("line"))?.[0] ?? 0);
  return (
    <section class="flame-lines" aria-label={t("flame.lines")}>
      <div class="pane-head">
        <Choice
          label={t("flame.lines")}
          value={mode}
          options={[
            ["lines", t("flame.lines")],
            ["functions", t("flame.functions")],
          ]}
          pick={(v) => change({ list: v === "functions" ? v : undefined }, true)}
        />
        <span class="quiet">
          {hidden > 0 ? t("list.first", { n, all: n + hidden }) : t("flame.rows", { n })}
        </span>
      </div>
      {props.error !== null && <Failure error={props.error} again={props.again} />}
      {mode === "lines" ? (
        <VirtualList<OwnLine>
          label={t("flame.lines")}
          items={lines}
          row={row}
          current={lines.findIndex((l) => l.function === params.src && l.line === at)}
          open={(l) => props.open(l.function, l.line)}
          render={(l) => (
            <Cost share={l.share} cost={quantity(l.cost, unit)} kind="own">
              <span class="row-name">{shortName(l.function)}</span>
              <span class="row-place">
                {l.path}:{l.line}
              </span>
            </Cost>
          )}
        />
      ) : (
        <VirtualList<FunctionRow>
          label={t("flame.functions")}
          items={rows}
          row={row}
          current={rows.findIndex((f) => f.name === params.src)}
          open={(f) => props.open(f.name)}
          render={(f) => {
            const frame = model!.page.frames[f.frame]!;
            return (
              <Cost share={total ? f.self / total : 0} cost={quantity(f.self, unit)} kind={kindKeys[frame.kind]}>
                <span class="row-name">{shortName(f.name)}</span>
                <span class="row-place">
                  {t("flame.total")} {percent(f.total, total)}
                </span>
              </Cost>
            );
          }}
        />
      )}
    </section>
  );
}

function Cost(props: { share: number; cost: string; kind: string; children: JSX.Element[] }): JSX.Element {
  return (
    <>
      <span class="row-share">
        <b>{percent(props.share, 1)}</b>
        <Bar share={props.share} kind={props.kind} />
      </span>
      <span class="row-what">{props.children}</span>
      <span class="row-cost">{props.cost}</span>
    </>
  );
}

/** The canvas, which follows the address, and changes it. settled: nothing that the address names is still to come. */
function Picture(props: { model: Model; params: FlameParams; settled: boolean }): JSX.Element {
  const { model, params, settled } = props;
  const host = useRef<HTMLDivElement>(null);
  const parts = useRef<{ graph: Graph; map: Minimap; now: { state: ViewState }; tooltip: Tooltip } | null>(null);
  const state = viewState(model, params);
  useEffect(() => {
    const el = host.current!;
    const page: Page = model.page;
    // The part that is shown changes with each turn of the wheel: the graph follows at once, the
    // address after a moment.
    const now = { state };
    let timer = 0;
    const store = {
      get state() {
        return now.state;
      },
      set(change_: Partial<ViewState>) {
        const before = now.state;
        const next = { ...before, ...change_ };
        now.state = next;
        graph.update(next, before);
        clearTimeout(timer);
        const write = () => {
          const { scene } = model.scene(next);
          change(
            {
              at: place(scene, page.frames, graph.zoomBox(next)),
              below: next.shape === "down" ? partsAround(model, params.sample, graph.zoomBox(next)) : undefined,
              x: writeRange(next.range),
              fn: next.shape === "focus" ? page.frames[next.focus]?.name : undefined,
              view: next.shape === "up" ? "up" : next.shape === "down" && params.time ? "time" : undefined,
            },
            next.range !== null,
          );
        };
        if (next.range) timer = window.setTimeout(write, 250);
        else write();
      },
    };
    const tooltip = new Tooltip(page.frames);
    const graph: Graph = new Graph(store, model, {
      hover: (box, x, y) => {
        if (box < 0) tooltip.hide();
        else tooltip.show(graph.currentScene, graph.currentView, box, graph.zoomBox(), x, y);
      },
      select: (box) => {
        const frame = box >= 0 ? page.frames[graph.currentScene.frame[box]!] : undefined;
        if (frame) queueMicrotask(() => change({ src: frame.name, line: undefined }, true));
      },
      focus: (box) => say(sentence(graph.currentScene, page.frames, graph.currentView, box, graph.zoomBox())),
      drawn: (from, to) => {
        map.update(graph.currentScene, graph.colors, color, model.search(now.state.query)?.match ?? null);
        map.mark(from, to);
      },
    });
    const color = (box: number) => {
      const f = page.frames[graph.currentScene.frame[box]!];
      return f ? graph.colors.kind(f.kind, f.name) : graph.colors.rest;
    };
    const map = new Minimap(t("flame.minimap"), (from, to) => store.set({ range: [from, to] }));
    const focused = el.querySelector("canvas:focus") !== null;
    el.replaceChildren(map.el, graph.el, tooltip.el);
    if (focused) graph.el.querySelector("canvas")?.focus();
    parts.current = { graph, map, now, tooltip };
    shown = graph;
    graph.update(state, null);
    const keys = (e: KeyboardEvent) => {
      if (e.ctrlKey || e.metaKey || e.altKey || e.defaultPrevented) return;
      if (e.target instanceof Element && e.target.matches("input, select, textarea, dialog *")) return;
      const s = now.state;
      if (e.key === "n" || e.key === "p") graph.stepMatch(e.key === "n" ? 1 : -1);
      else if (e.key === "i" && !params.time)
        change({ view: s.shape === "up" ? undefined : "up", fn: undefined, at: undefined, x: undefined });
      else if (e.key === "0") change({ at: undefined, x: undefined });
      else if (e.key === "Escape") {
        if (param("src")) change({ src: undefined, line: undefined }, true);
        else if (s.range || s.zoom > 0)
          graph.zoomTo(s.range ? s.zoom : Math.max(0, graph.currentScene.parent[s.zoom] ?? 0));
        else if (s.shape === "focus") change({ fn: undefined });
      } else return;
      e.preventDefault();
    };
    document.addEventListener("keydown", keys);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("keydown", keys);
      parts.current = null;
      if (shown === graph) shown = null;
    };
  }, [model]);
  useEffect(() => {
    const p = parts.current;
    if (!p) return;
    const before = p.now.state;
    p.now.state = state;
    p.graph.update(state, before);
    p.tooltip.hide();
  }, [JSON.stringify(state)]);
  useEffect(() => {
    if (!settled) return;
    const below = missingPart(model, params.sample);
    if (below !== null) change({ below }, true);
  }, [model, settled, params.at]);
  useEffect(() => parts.current?.graph.repaint(), [shade.value]);
  const view = model.view(state);
  const { scene } = model.scene(state);
  const rest = state.shape === "down" ? 0 : restShare(model, state);
  return (
    <>
      {state.zoom > 0 && <Path model={model} state={state} />}
      {scene.width <= 0 && <p class="quiet flame-note">{t("flame.nothing")}</p>}
      {params.time && <p class="quiet flame-note">{t("flame.ordered", { n: number(view.total, language.value) })}</p>}
      {rest > 0.0005 && <p class="quiet flame-note">{t("flame.partial", { share: percent(rest, 1) })}</p>}
      {model.page.notes.map((n) => (
        <p class="quiet flame-note" key={n}>
          {n}
        </p>
      ))}
      <div class="flame-host" ref={host} data-boxes={scene.n} data-type={view.type} />
      <Legend model={model} state={state} />
    </>
  );
}

function restShare(model: Model, state: ViewState): number {
  const { frame, mass, n } = model.view(state).tree;
  let rest = 0;
  for (let i = 1; i < n; i++) if (frame[i] === REST) rest += mass[i]!;
  return mass[0]! > 0 ? rest / mass[0]! : 0;
}

/** The functions from the root to the zoomed one. */
function Path({ model, state }: { model: Model; state: ViewState }): JSX.Element {
  const { scene } = model.scene(state);
  const path: number[] = [];
  for (let i = state.zoom; i > 0; i = scene.parent[i]!) path.push(i);
  path.push(0);
  path.reverse();
  const name = (i: number) => (scene.frame[i]! >= 0 ? model.page.frames[scene.frame[i]!]!.name : t("hub.all"));
  const shown = path.length > 6 ? [path[0]!, ...path.slice(-5)] : path;
  return (
    <nav class="flame-path" aria-label={t("flame.ancestors")}>
      <ol>
        {shown.map((i, k) => (
          <li key={i}>
            {k === 1 && path.length > shown.length && <span class="quiet">… </span>}
            <button
              type="button"
              class="plain"
              title={name(i)}
              aria-current={i === state.zoom ? "location" : undefined}
              onClick={() =>
                change({
                  at: place(scene, model.page.frames, i) || undefined,
                  below: state.shape === "down" ? partsAround(model, state.type, i) : undefined,
                  x: undefined,
                })
              }
            >
              {shortName(name(i))}
            </button>
          </li>
        ))}
      </ol>
    </nav>
  );
}

const legend = [Kind.Own, Kind.Dependency, Kind.Std, Kind.Unknown] as const;
const legendText = {
  [Kind.Own]: "kind.own",
  [Kind.Dependency]: "kind.dep",
  [Kind.Std]: "kind.std",
  [Kind.Unknown]: "kind.other",
} as const;

/** Whose code the colors are, with its share of the cost. */
function Legend({ model, state }: { model: Model; state: ViewState }): JSX.Element | null {
  const view = model.view(state);
  const sums = useMemo(() => {
    const s = [0, 0, 0, 0];
    model.page.frames.forEach((f, i) => (s[f.kind]! += view.costs.self[i]!));
    return s;
  }, [view]);
  const under = useMemo(() => costUnder(view.tree, (f) => model.page.frames[f]!.kind === Kind.Own), [view]);
  if (model.color(state) !== "kind") return null;
  return (
    <p class="flame-legend">
      {legend
        .filter((k) => sums[k] !== 0)
        .map((k) => (
          <span key={k}>
            <span class={`dot ${kindKeys[k]}`} aria-hidden="true" />
            {t(legendText[k])} {percent(sums[k]!, view.total)}
            {k === Kind.Own && under > sums[k]! && ` (${t("flame.under", { share: percent(under, view.total) })})`}
          </span>
        ))}
    </p>
  );
}

/** The source of the selected function, and what can be done with it. */
function SourcePane(props: {
  query: Record<string, string | undefined>;
  params: FlameParams;
  model: Model | null;
  top: Top | null;
  busy: boolean;
  open: (fn: string, line?: number) => void;
}): JSX.Element {
  const { params, model } = props;
  const name = params.src;
  const machine = param("code") === "machine";
  // Source is of functions, whatever frames labels add.
  const query = { ...props.query, tagroot: undefined, diff_base: undefined };
  if (!name)
    return (
      <section class="flame-source empty-pane" aria-label={t("flame.source")}>
        <p class="quiet">{t("flame.pick")}</p>
      </section>
    );
  const exact = `^${name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}$`;
  const state = model && viewState(model, { ...params, fn: "", at: "", x: "" });
  const frame = model ? model.page.frames.findIndex((f) => f.name === name) : -1;
  const view = model && model.view(state!);
  // A link may name a function that this recording, or what the filters leave of it, lacks.
  const costs = frame >= 0 || (props.top?.own?.lines ?? []).some((l) => l.function === name);
  return (
    <section class="flame-source" aria-label={t("flame.source")}>
      <div class="pane-head source-head">
        <h2 title={name}>{shortName(name)}</h2>
        <button
          type="button"
          class="icon"
          aria-label={t("app.close")}
          onClick={() => change({ src: undefined, line: undefined, tab: undefined }, true)}
        >
          ✕
        </button>
      </div>
      {view && frame >= 0 && (
        <p class="source-numbers">
          {t("flame.self")} <b>{percent(view.costs.self[frame]!, view.total)}</b>{" "}
          {quantity(view.costs.self[frame]!, view.unit)}
          {" · "}
          {t("flame.total")} <b>{percent(view.costs.total[frame]!, view.total)}</b>{" "}
          {quantity(view.costs.total[frame]!, view.unit)}
        </p>
      )}
      <div class="source-actions">
        <button
          type="button"
          onClick={() => change({ fn: name, view: undefined, at: undefined, x: undefined, tab: undefined })}
        >
          {t("flame.sandwich")}
        </button>
        {filters.map((f) => (
          <button
            type="button"
            key={f}
            title={t(`flame.${f}.title`)}
            onClick={() => change({ [f]: exact, at: undefined, x: undefined })}
          >
            {t(`flame.${f}`)}
          </button>
        ))}
        <Choice
          label={t("flame.code")}
          value={machine ? "machine" : "source"}
          options={[
            ["source", t("flame.source")],
            ["machine", t("flame.disasm")],
          ]}
          pick={(v) => change({ code: v === "machine" ? v : undefined }, true)}
        />
      </div>
      <div class="pane-body">
        {props.busy ? (
          <Loading />
        ) : !costs ? (
          <p class="quiet flame-note">{t("flame.nocost")}</p>
        ) : machine ? (
          <MachineCode query={query} name={name} />
        ) : (
          <Source query={query} name={name} line={Number(/\d+$/.exec(param("line"))?.[0] ?? 0)} open={props.open} />
        )}
      </div>
    </section>
  );
}

/** Tells the header how this view is shared, and the palette which functions there are. */
function useSharing(
  name: string,
  type: string,
  query: Record<string, string | undefined>,
  model: Model | null,
  params: FlameParams,
  top: Top | null,
): void {
  const [part] = splitType(type);
  const key = JSON.stringify([query, params.sample, params.up, params.fn, params.time]);
  useEffect(() => {
    const base = query["diff_base"] ?? "";
    const flags = ["--type", type, ...filterFlags()];
    if (base) flags.push("--diff-base", base);
    // The page of whet flame shows any of these; the command shows the one at hand.
    const escaped = params.fn.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
    const command = params.time
      ? ["whet", "flame", ...flags, "--order", "time", name]
      : params.fn
        ? ["whet", "peek", ...flags, `^${escaped}$`, name]
        : params.up
          ? ["whet", "tree", "--bottom-up", ...flags, name]
          : ["whet", "flame", ...flags, name];
    const stem = `${stemOf(name)}.${type.replace(/\W+/g, "-")}`;
    const lines = top?.own?.lines ?? [];
    sharing.value = {
      command: queryCommand(name, base, location.origin, "-o", "merged.pb.gz") ?? command,
      files: [
        { key: "share.page", href: address("/flame", { ...query, type: part, format: "html", all: true }) },
        pprofFile("share.pprof", name, part, { ...filterParams(), diff_base: base }),
        { key: "share.json", href: address("/flame", { ...query, type: part, format: "json" }) },
        { key: "share.svg", make: () => saveSvg(stem, type) },
        { key: "share.png", make: () => savePicture(stem) },
        {
          key: "share.csv",
          make: () =>
            save(
              `${stem}.csv`,
              csv([
                ["function", "file", "line", "cost", "share"],
                ...lines.map((l) => [l.function, l.file, l.line, l.cost, l.share]),
              ]),
            ),
        },
      ],
    };
  }, [key, top]);
  useEffect(() => {
    viewKeys.value = [
      ["/", "help.search"],
      ["n p", "help.match"],
      ["← → ↑ ↓", "help.arrows"],
      ["Enter", "help.enter"],
      ["w s a d", "help.zoom"],
      ["c", "help.sandwich"],
      ["i", "help.up"],
      ["Esc", "help.escape"],
    ];
  }, []);
  useEffect(() => {
    if (!model) return;
    const view = model.view(viewState(model, params));
    viewCommands.value = functionRows(model.page, view)
      .slice(0, 3000)
      .map((f) => ({
        kind: "function" as const,
        text: shortName(f.name),
        more: percent(f.total, view.total),
        run: () => change({ src: f.name, line: undefined, tab: "source" }),
      }));
  }, [model, params.sample]);
}

/** The graph that is shown. */
let shown: Graph | null = null;

/** Saves what the graph shows as SVG, with all rows. */
function saveSvg(stem: string, title: string): void {
  const graph = shown;
  if (!graph) return;
  const pen = new SvgPen(hexColors());
  const svg = graph.svg(pen, `${stem} · ${title}`, (s, frames, v, box) => sentence(s, frames, v, box, 0));
  save(`${stem}.svg`, new Blob([svg], { type: "image/svg+xml" }));
  say(t("flame.saved"));
}

/** Saves what the graph shows as a picture. */
function savePicture(stem: string): void {
  const canvas = document.querySelector<HTMLCanvasElement>(".flame-host .graph canvas");
  canvas?.toBlob((b) => {
    if (b) save(`${stem}.png`, b);
    say(t("flame.saved"));
  });
}
