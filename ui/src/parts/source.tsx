import { EditorPlace } from "./place.tsx";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { get, isSaved } from "../api/client.ts";
import type { Disasm, FindResult, List, ListFunction, ListInline, ListLine, SourceNotes } from "../api/v1.ts";
import { percent, quantity } from "../lib/format.ts";
import { shortName } from "../lib/names.ts";
import { files } from "../state/files.ts";
import { useLoad } from "../state/load.ts";
import { t } from "../texts/index.ts";
import { Failure, Loading, reason } from "./basics.tsx";

type Query = Record<string, string | undefined>;

/** How many lines are drawn around the shown one. */
const around = 1500;

/** The source of a function with its cost in the margin, at a line. */
export function Source(props: {
  query: Query;
  name: string;
  line: number;
  open: (fn: string, line?: number) => void;
}): JSX.Element {
  const { name, query } = props;
  const { value, error, again } = useLoad(JSON.stringify(["list", query, name]), (signal) =>
    get<List>("/list", { ...query, function: name }, signal),
  );
  const found = useLoad(JSON.stringify(["findings", query["file"]]), (signal) =>
    get<FindResult | null>("/findings", { file: query["file"] }, signal).catch(() => null),
  );
  if (error !== null) return <Failure error={error} again={again} />;
  if (!value) return <Loading />;
  const list = value.functions ?? [];
  return (
    <div class="source">
      {list.map((f) => (
        <FunctionSource
          key={`${f.name} ${f.file}`}
          file={query["file"] ?? ""}
          f={f}
          doc={value}
          found={found.value}
          line={props.line}
          open={props.open}
        />
      ))}
    </div>
  );
}

/** What the compiler says, by its name for it: some have no message, or one that says only why. */
function noteText({ kind, message }: { kind: string; message: string }): string {
  switch (kind) {
    case "isInBounds":
    case "isSliceInBounds":
      return t("note.bounds");
    case "cannotInlineFunction":
      return t("note.inline", { why: message });
    case "cannotInlineCall":
      return t("note.call", { why: message });
    default:
      return message || kind;
  }
}

/** What was found about lines: a title and texts, by line. */
function remarks(
  file: string | undefined,
  found: FindResult | null,
  notes: SourceNotes | null,
): Map<number, { text: string; kind: string }[]> {
  const out = new Map<number, { text: string; kind: string }[]>();
  if (!file) return out;
  const add = (line: number, kind: string, text: string) => {
    const list = out.get(line) ?? [];
    if (!list.some((x) => x.text === text)) list.push({ kind, text });
    out.set(line, list);
  };
  for (const l of notes?.lines ?? []) for (const n of l.notes ?? []) add(l.line, "note", noteText(n));
  if (!found) return out;
  const same = (rel: string) => file === rel || file.endsWith(`/${rel}`);
  for (const f of found.findings ?? []) {
    const at = (f.places ?? []).find((p) => same(p.file));
    for (const p of f.places ?? []) if (same(p.file)) add(p.line, "finding", `${f.title}: ${f.why}`);
    if (at) for (const n of f.notes ?? []) add(n.line, "note", noteText(n));
  }
  for (const h of found.unexplained ?? [])
    if (same(h.file)) for (const n of h.notes ?? []) add(n.line, "note", noteText(n));
  return out;
}

/** What the compiler says of a function's file, as soon as it is known, or else why there is nothing. */
function useNotes(file: string, f: ListFunction): { notes: SourceNotes | null; instead: string } {
  const wanted = !isSaved() && files.value?.find === true && !!f.file && !!f.source && !f.stale;
  const { value, error, busy } = useLoad(JSON.stringify(["notes", wanted, file, f.file]), (signal) =>
    wanted ? get<SourceNotes>("/notes", { file, source: f.file }, signal) : Promise.resolve(null),
  );
  if (isSaved() || !f.file || !f.source || f.stale) return { notes: null, instead: "" };
  if (!wanted) return { notes: null, instead: t("notes.module") };
  if (error !== null) return { notes: null, instead: `${t("notes.none")}: ${reason(error)}` };
  return { notes: value, instead: busy ? t("notes.wait") : "" };
}

function FunctionSource(props: {
  file: string;
  f: ListFunction;
  doc: List;
  found: FindResult | null;
  line: number;
  open: (fn: string, line?: number) => void;
}): JSX.Element {
  const { f, doc } = props;
  const total = doc.profile.total;
  const unit = doc.profile.sample_type.unit;
  const ref = useRef<HTMLDivElement>(null);
  const lines = f.lines ?? [];
  const hottest = lines.reduce((a, b) => (Math.abs(b.cum) > Math.abs(a?.cum ?? -1) ? b : a), lines[0]);
  const wanted = lines.some((l) => l.line === props.line) ? props.line : (hottest?.line ?? 0);
  const at = lines.findIndex((l) => l.line === wanted);
  const shown = lines.slice(Math.max(0, at - around), at + around);
  const { notes, instead } = useNotes(props.file, f);
  const said = remarks(f.file, props.found, notes);
  const most = Math.max(1e-9, ...lines.map((l) => Math.abs(l.cum)));
  useEffect(() => {
    const row = ref.current?.querySelector<HTMLElement>(".src-line.here");
    const pane = row?.closest<HTMLElement>(".pane-body");
    if (row && pane) pane.scrollTop = row.offsetTop - pane.clientHeight / 3;
  }, [f, wanted]);
  return (
    <section>
      <p class="src-file">
        <code>
          <EditorPlace file={f.file ?? ""} text={f.file ?? ""} line={wanted} />
        </code>
        {f.source && <span class="quiet"> · {f.source}</span>}
      </p>
      {instead && (
        <p class="src-notes quiet" role="status">
          {instead}
        </p>
      )}
      {f.stale && <p class="warnings">{t("flame.stale")}</p>}
      {f.no_source && (
        <p class="warnings">
          {t("flame.nosource")} <span class="hint">{f.no_source}</span>
        </p>
      )}
      <div class="src" ref={ref} role="table" aria-label={f.name}>
        {shown.map((l) => (
          <SourceLine
            key={`${l.line}`}
            l={l}
            here={l.line === wanted}
            total={total}
            unit={unit}
            most={most}
            said={said.get(l.line) ?? []}
            open={props.open}
          />
        ))}
      </div>
    </section>
  );
}

function SourceLine(props: {
  l: ListLine;
  here: boolean;
  total: number;
  unit: string;
  most: number;
  said: readonly { text: string; kind: string }[];
  open: (fn: string, line?: number) => void;
}): JSX.Element {
  const { l, total, unit } = props;
  const heat = Math.abs(l.cum) / props.most;
  const calls = (l.calls ?? []).slice(0, 6);
  const inlined = (l.inlined ?? []).slice(0, 4);
  const cost = (v: number) => (v === 0 ? "" : percent(v, total));
  return (
    <>
      <div class={`src-line ${props.here ? "here" : ""} ${l.gap ? "gap" : ""}`} role="row">
        <span class="src-cost" role="cell" title={l.flat ? quantity(l.flat, unit) : undefined}>
          {cost(l.flat)}
        </span>
        <span
          class="src-cost src-cum"
          role="cell"
          title={l.cum ? quantity(l.cum, unit) : undefined}
          style={heat > 0.005 ? { "--heat": `${Math.round(heat * 70 + 8)}%` } : undefined}
        >
          {cost(l.cum)}
        </span>
        <span class="src-number" role="cell">
          {l.line || ""}
        </span>
        <code class="src-text" role="cell">
          {l.text || " "}
        </code>
      </div>
      {(calls.length > 0 || inlined.length > 0 || props.said.length > 0) && (
        <div class="src-more" role="row">
          <span role="cell">
            {inlined.map((c: ListInline) => (
              <button
                type="button"
                class="plain"
                key={`i ${c.function} ${c.line}`}
                title={`${c.function} ${c.file ?? ""}:${c.line}`}
                onClick={() => props.open(c.function, c.line)}
              >
                ⤷ {t("flame.inlined", { name: shortName(c.function) })} <b>{percent(c.cum, total)}</b>
              </button>
            ))}
            {calls.map((c) => (
              <button
                type="button"
                class="plain"
                key={`c ${c.function}`}
                title={c.function}
                onClick={() => props.open(c.function)}
              >
                → {shortName(c.function)} <b>{percent(c.cum, total)}</b>
              </button>
            ))}
            {props.said.map((s) => (
              <span class={`said said-${s.kind}`} key={s.text}>
                {s.kind === "note" ? `${t("flame.note")}: ` : ""}
                {s.text}
              </span>
            ))}
          </span>
        </div>
      )}
    </>
  );
}

/** The machine code of a function with its cost. */
export function MachineCode({ query, name }: { query: Query; name: string }): JSX.Element {
  const { value, error, again } = useLoad(JSON.stringify(["disasm", query, name]), (signal) =>
    get<Disasm>("/disasm", { ...query, function: name }, signal),
  );
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const hot = ref.current?.querySelector<HTMLElement>(".here");
    const pane = hot?.closest<HTMLElement>(".pane-body");
    if (hot && pane) pane.scrollTop = hot.offsetTop - pane.clientHeight / 3;
  }, [value]);
  if (error !== null) return <Failure error={error} again={again} />;
  if (!value) return <Loading />;
  const total = value.profile.total;
  const cost = (v: number) => (v === 0 ? "" : percent(v, total));
  return (
    <div class="source" ref={ref}>
      {(value.functions ?? []).map((f) => {
        const list = f.instructions ?? [];
        const hottest = list.reduce((a, b) => (Math.abs(b.flat) > Math.abs(a?.flat ?? -1) ? b : a), list[0]);
        const from = Math.max(0, list.indexOf(hottest!) - around);
        return (
          <section key={f.name}>
            <p class="src-file">
              <code>{f.name}</code> <span class="quiet">{f.binary}</span>
            </p>
            <div class="src" role="table" aria-label={f.name}>
              {list.slice(from, from + 2 * around).map((i) => (
                <>
                  {i.source && (
                    <div class="src-more" role="row">
                      <code role="cell">{i.source}</code>
                    </div>
                  )}
                  <div
                    class={`src-line ${i === hottest ? "here" : ""} ${i.gap ? "gap" : ""}`}
                    role="row"
                    key={i.address}
                  >
                    <span class="src-cost" role="cell">
                      {cost(i.flat)}
                    </span>
                    <span class="src-cost src-cum" role="cell">
                      {cost(i.cum)}
                    </span>
                    <span class="src-number" role="cell">
                      {i.address.toString(16)}
                    </span>
                    <code class="src-text" role="cell">
                      {i.text}
                    </code>
                  </div>
                </>
              ))}
            </div>
          </section>
        );
      })}
    </div>
  );
}
