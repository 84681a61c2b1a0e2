import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { address, get, getText } from "../api/client.ts";
import type { CallGraph } from "../api/v1.ts";
import { png } from "../draw/raster.ts";
import { queryCommand, stemOf } from "../lib/selector.ts";
import { Failure, Loading, Warnings } from "../parts/basics.tsx";
import { filterFlags, filterLinks, filterParams, Filters } from "../parts/filters.tsx";
import { aboutFile, pprofFile } from "../state/files.ts";
import { useLoad } from "../state/load.ts";
import { change, file, go, link, param } from "../state/route.ts";
import { csv, save, sharing, viewCommands } from "../state/shell.ts";
import { language, t } from "../texts/index.ts";
import { CallGraphView } from "../views/callgraph.ts";

async function savePng(svg: string, stem: string): Promise<void> {
  const picture = await png(svg, "#ffffff");
  if (picture) save(`${stem}.png`, picture);
}

const sizes = [20, 40, 80, 160] as const;

/** The call graph: boxes are functions, arrows calls. */
export function GraphView(): JSX.Element {
  const name = file.value;
  const type = param("type");
  const n = Number(param("n")) || 40;
  const about = useLoad(`about ${name}`, () => aboutFile(name));
  const types = (about.value?.profiles ?? []).flatMap((p) =>
    (p.types ?? []).map((s) => (p.name ? `${p.name}:${s.type}` : s.type)),
  );
  const query = { file: name, type, n, ...filterParams() };
  const key = JSON.stringify(["graph", query]);
  const { value, error, again, busy } = useLoad(key, async (signal) => {
    const [svg, doc] = await Promise.all([
      getText("/graph", { ...query, format: "screen" }, signal),
      get<CallGraph>("/graph", query, signal),
    ]);
    return { svg, doc };
  });
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<CallGraphView | null>(null);
  const linked = useRef(true); // the drawing is the first one, of the link
  const found = param("q");
  const empty = value !== null && (value.doc.nodes ?? []).length === 0;
  useEffect(() => {
    if (!value || !host.current) return;
    if (empty) {
      host.current.replaceChildren();
      return;
    }
    const names = (value.doc.nodes ?? []).map((x) => x.function ?? x.name);
    let timer = 0;
    const moved = (x: number, y: number, w: number) => {
      clearTimeout(timer);
      const part = w > 0 ? [x, y, w].map(Math.round).join(",") : undefined;
      timer = window.setTimeout(() => change({ part }, true), 250);
    };
    const v = new CallGraphView(
      value.svg,
      names,
      (at) => change({ box: at >= 0 ? names[at] : undefined }, true),
      moved,
    );
    host.current.replaceChildren(v.el);
    view.current = v;
    v.fit();
    return () => {
      clearTimeout(timer);
      view.current = null;
    };
  }, [value]);
  useEffect(() => {
    const names = (value?.doc.nodes ?? []).map((x) => x.function ?? x.name);
    view.current?.pick(param("box") ? names.indexOf(param("box")) : -1);
  }, [value, param("box")]);
  useEffect(() => view.current?.name(t("graph.picture")), [value, language.value]);
  useEffect(() => view.current?.find(found), [value, found]);
  useEffect(() => {
    if (!value) return;
    // After the others, which move to a box that is out of view. Another drawing has other parts.
    const [x, y, w] = param("part").split(",").map(Number);
    const whole = x !== undefined && y !== undefined && w !== undefined && w > 0;
    if (linked.current && whole) view.current?.restore(x, y, w);
    else if (param("part")) change({ part: undefined }, true);
    linked.current = false;
  }, [value]);
  useEffect(() => {
    const flags = [...(type ? ["--type", type] : []), "-n", String(n), ...filterFlags()];
    const stem = stemOf(name) || "graph";
    const usual = types.find((x) => x === "cpu:cpu") ?? types[0] ?? "";
    const full = type || usual;
    // With its legend and all costs, which a saved page lacks: there, what is drawn is saved.
    const whole = () => getText("/graph", { ...query, format: "svg" }).catch(() => value?.svg ?? "");
    const part = full.includes(":") ? full.slice(0, full.lastIndexOf(":")) : undefined;
    sharing.value = {
      command: queryCommand(name, "", location.origin, "-o", "merged.pb.gz") ?? [
        ...["whet", "graph", ...flags, "-o", "graph.svg", name],
      ],
      files: [
        {
          key: "share.svg",
          make: async () => save(`${stem}.svg`, new Blob([await whole()], { type: "image/svg+xml" })),
        },
        { key: "share.png", make: async () => savePng(await whole(), stem) },
        { key: "share.json", href: address("/graph", query) },
        {
          key: "share.csv",
          make: () =>
            save(
              `${stem}.graph.csv`,
              csv([
                ["function", "file", "flat", "cum"],
                ...(value?.doc.nodes ?? []).map((x) => [x.function ?? x.name, x.file ?? "", x.flat, x.cum]),
              ]),
            ),
        },
        pprofFile("share.pprof", name, part, filterParams()),
      ],
    };
    viewCommands.value = (value?.doc.nodes ?? []).map((x) => ({
      kind: "function" as const,
      text: x.name,
      run: () => change({ box: x.function ?? x.name }),
    }));
  }, [value, key, about.value]);
  const hidden = value?.doc.hidden_nodes ?? 0;
  const box = param("box");
  return (
    <div class="graph-page">
      <div class="flame-bar">
        <h1 class="offscreen">{t("app.graph")}</h1>
        {types.length > 0 && (
          <select
            aria-label={t("flame.type")}
            value={type || types.find((x) => x === "cpu:cpu") || types[0]}
            onChange={(e) => change({ type: e.currentTarget.value })}
          >
            {types.map((x) => (
              <option key={x} value={x}>
                {x.replace(":", " · ")}
              </option>
            ))}
          </select>
        )}
        <label class="check">
          {t("graph.boxes")}
          <select value={String(n)} onChange={(e) => change({ n: e.currentTarget.value })}>
            {[...new Set([...sizes, n])].map((s) => (
              <option key={s} value={String(s)}>
                {s}
              </option>
            ))}
          </select>
        </label>
        <input
          type="search"
          placeholder={t("graph.search")}
          aria-label={t("graph.search")}
          value={found}
          onInput={(e) => change({ q: e.currentTarget.value }, true)}
        />
        <Filters />
        <button
          type="button"
          onClick={() => {
            change({ box: undefined, part: undefined }, true);
            view.current?.fit();
          }}
        >
          {t("graph.fit")}
        </button>
        {box && (
          <button type="button" onClick={() => go(link("flame", { file: name, type, ...filterLinks(), src: box }))}>
            {t("over.flame")}
          </button>
        )}
        <span class="quiet graph-hint">
          {t("graph.hint")} {hidden > 0 ? t("graph.more", { n: hidden }) : ""}
        </span>
      </div>
      <Warnings list={value?.doc.warnings} />
      {error !== null && <Failure error={error} again={again} />}
      {!value && error === null && <Loading />}
      {empty && <p class="quiet flame-note">{t("flame.nothing")}</p>}
      <div class={`graph-host ${busy ? "busy" : ""}`} ref={host} />
    </div>
  );
}
