import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { address, get } from "../api/client.ts";
import type { Change, DiffResult, Entry, Side, Value } from "../api/v1.ts";
import type { BarRow } from "../lib/bars.ts";
import { quantity } from "../lib/format.ts";
import { isStored, queryCommand } from "../lib/selector.ts";
import { shortName } from "../lib/names.ts";
import { number, signed, span } from "../lib/when.ts";
import { Choice, Failure, First, Loading, More, Section, Warnings } from "../parts/basics.tsx";
import { filterFlags, filterLinks, filterParams, Filters } from "../parts/filters.tsx";
import { EditorPlace } from "../parts/place.tsx";
import { aboutFile, files, pprofFile } from "../state/files.ts";
import { useLoad } from "../state/load.ts";
import { barFiles, property } from "../state/picture.ts";
import { change, file, go, link, param } from "../state/route.ts";
import { csv, save, sharing, viewCommands } from "../state/shell.ts";
import { language, t } from "../texts/index.ts";

/** How many entries an answer has at most, and how many rows are drawn at first and with each step. */
const most = 20_000;
const step = 300;

const orders = ["change", "relative", "request", "name"] as const;
type Order = (typeof orders)[number];

/** What changed from one recording to another. */
export function Compare(): JSX.Element {
  const after = file.value;
  const base = param("base");
  const all = files.value?.files ?? [];
  const same = all.filter((f) => f.kind === "recording" || f.kind === "profile");
  if (!base) return <Pick after={after} names={same.map((f) => f.name).filter((n) => n !== after)} />;
  return <Comparison key={`${base}\n${after}`} base={base} after={after} names={same.map((f) => f.name)} />;
}

function Pick({ after, names }: { after: string; names: readonly string[] }): JSX.Element {
  return (
    <div class="compare">
      <h1>{t("diff.title")}</h1>
      <p class="quiet">{t("diff.pick")}</p>
      <ul class="pick-list">
        {names.map((n) => (
          <li key={n}>
            <a
              href={link("compare", {
                file: after,
                base: n,
                type: param("type"),
                ...filterLinks(),
                src: param("src"),
              })}
            >
              {n}
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}

function Comparison({ base, after, names }: { base: string; after: string; names: readonly string[] }): JSX.Element {
  const type = param("type");
  const by = param("by") === "line" ? "line" : "function";
  const allCode = param("all") === "true";
  const quiet = param("noise") !== "show";
  const about = useLoad(`about ${after}`, () => aboutFile(after));
  const aboutBase = useLoad(`about ${base}`, () => aboutFile(base));
  // Merged profiles of unequal time are compared by shares, as whet query --against does.
  const stored = isStored(after) || isStored(base);
  const query = { file: after, diff_base: base, type, ...filterParams(), by, all: allCode, normalize: stored, n: most };
  const { value, error, again, busy } = useLoad(JSON.stringify(["diff", query]), (signal) =>
    get<DiffResult>("/diff", query, signal),
  );
  useEffect(() => {
    const command = ["whet", "diff", ...(type ? ["--type", type] : []), ...(by === "line" ? ["--lines"] : [])];
    if (allCode) command.push("--all");
    command.push(...filterFlags());
    const entries = value ? list(value) : [];
    const full = type || (about.value?.profiles?.[0]?.name ? `${about.value.profiles[0].name}:` : "");
    const part = full.includes(":") ? full.slice(0, full.lastIndexOf(":")) : "";
    sharing.value = {
      command: queryCommand(after, base, location.origin) ?? [...command, base, after],
      files: [
        { key: "share.json", href: address("/diff", query) },
        {
          key: "share.page",
          href: address("/flame", { file: after, diff_base: base, type, ...filterParams(), format: "html" }),
        },
        ...(value ? barFiles("comparison", `${base} → ${after} · ${value.type}`, () => bars(value)) : []),
        pprofFile("share.before", base, part, filterParams()),
        pprofFile("share.after", after, part, filterParams()),
        {
          key: "share.csv",
          make: () =>
            save(
              "comparison.csv",
              csv([
                [
                  "name",
                  "file",
                  "line",
                  "before",
                  "after",
                  "change",
                  "noise",
                  "per request before",
                  "per request after",
                ],
                ...entries.map((e) => {
                  const v = pick(e, value!);
                  const r = v.per_request;
                  return [
                    e.name,
                    e.file ?? "",
                    e.line ?? "",
                    v.before,
                    v.after,
                    v.change,
                    v.noise,
                    r?.before ?? "",
                    r?.after ?? "",
                  ];
                }),
              ]),
            ),
        },
      ],
    };
    viewCommands.value = entries.slice(0, 200).map((e) => ({
      kind: "function" as const,
      text: shortName(e.name),
      run: () => {
        const line = e.line ? String(e.line) : "";
        go(link("flame", { file: after, type, ...filterLinks(), src: e.name, line }));
      },
    }));
  }, [value, about.value]);
  const types = (about.value?.profiles ?? []).flatMap((p) =>
    (p.types ?? []).map((s) => (p.name ? `${p.name}:${s.type}` : s.type)),
  );
  const picker = (label: string, name: string, current: string) => (
    <label class="side-picker">
      <span>{label}</span>
      <select value={current} onChange={(e) => change({ [name]: e.currentTarget.value })}>
        {[...new Set([current, ...names])].map((n) => (
          <option key={n} value={n}>
            {n}
          </option>
        ))}
      </select>
    </label>
  );
  return (
    <div class="compare">
      <div class="compare-bar">
        <h1>{t("diff.title")}</h1>
        {picker(t("diff.before"), "base", base)}
        <button type="button" onClick={() => change({ file: base, base: after })}>
          ⇄ {t("diff.swap")}
        </button>
        {picker(t("diff.after"), "file", after)}
        <select
          aria-label={t("flame.type")}
          value={type || types.find((x) => x === "cpu:cpu" || x === value?.type) || types[0] || ""}
          onChange={(e) => change({ type: e.currentTarget.value })}
        >
          {types.map((x) => (
            <option key={x} value={x}>
              {x.replace(":", " · ")}
            </option>
          ))}
        </select>
        <Choice
          label={t("diff.by")}
          value={by}
          options={[
            ["function", t("diff.byfunction")],
            ["line", t("diff.byline")],
          ]}
          pick={(v) => change({ by: v === "line" ? v : undefined })}
        />
        <Choice
          label={t("diff.code")}
          value={allCode ? "all" : "own"}
          options={[
            ["own", t("diff.own")],
            ["all", t("diff.allcode")],
          ]}
          pick={(v) => change({ all: v === "all" ? "true" : undefined })}
        />
        <label class="check">
          <input
            type="checkbox"
            checked={quiet}
            onChange={(e) => change({ noise: e.currentTarget.checked ? undefined : "show" }, true)}
          />
          {t("diff.hidenoise")}
        </label>
        <Filters />
        <a class="button" href={link("flame", { file: after, base, type, ...filterLinks() })}>
          {t("diff.flame")}
        </a>
        {about.value?.load && aboutBase.value?.load && (
          <a class="button" href={link("load", { file: after, base })}>
            {t("diff.load")}
          </a>
        )}
      </div>
      {error !== null && <Failure error={error} again={again} />}
      {!value && error === null && <Loading />}
      {value && (
        <div class={busy ? "busy" : ""}>
          <Verdict doc={value} />
          <Warnings list={value.warnings} />
          <Table doc={value} quiet={quiet} after={after} type={type} />
        </div>
      )}
    </div>
  );
}

/** The entries of either view. */
function list(doc: DiffResult): Entry[] {
  return [...(doc.own ?? []), ...(doc.rest ?? []), ...(doc.entries ?? [])];
}

/** The value that a view compares: what is charged to own code, else what is spent in a function. */
function pick(e: Entry, doc: DiffResult): Value {
  return doc.own ? e.cum : e.flat;
}

/** Where an entry is: the end of its path, and its line if it has one. */
function placeText(e: Entry): string {
  if (!e.file) return "";
  return `${e.file.split("/").slice(-2).join("/")}${e.line ? `:${e.line}` : ""}`;
}

/** What changed most, as bars. */
function bars(doc: DiffResult): BarRow[] {
  return list(doc)
    .map((e) => ({ e, v: pick(e, doc) }))
    .filter(({ v }) => v.change !== 0)
    .sort((a, b) => Math.abs(b.v.change) - Math.abs(a.v.change))
    .map(({ e, v }) => ({
      name: shortName(e.name),
      note: placeText(e),
      value: v.change,
      text: `${v.change > 0 ? "+" : "−"}${quantity(Math.abs(v.change), doc.unit)} (${relative(v)})`,
      color: within(v) ? property("--k-other") : `oklch(${property(v.change > 0 ? "--diff-up" : "--diff-down")})`,
    }));
}

/** The totals of both sides, and what their difference means. */
function Verdict({ doc }: { doc: DiffResult }): JSX.Element {
  const r = doc.total.per_request;
  const verdict = r?.verdict ?? "";
  return (
    <Section title={t("diff.total")} class={`verdict verdict-${verdict || "unknown"}`}>
      <p class="verdict-text">{totalText(doc)}</p>
      <div class="sides">
        {(
          [
            [t("diff.before"), doc.before, r?.before],
            [t("diff.after"), doc.after, r?.after],
          ] as const
        ).map(([label, side, per]) => (
          <SideCard
            key={label}
            label={label}
            side={side}
            unit={doc.unit}
            per={per}
            most={Math.max(doc.before.total, doc.after.total)}
          />
        ))}
      </div>
    </Section>
  );
}

function totalText(doc: DiffResult): string {
  if (doc.normalized) return t("diff.shares");
  const r = doc.total.per_request;
  return r ? requestText(r) : t("diff.totals", { change: relative(doc.total) });
}

function requestText(r: Change): string {
  const known = r.verdict === "less" || r.verdict === "more" || r.verdict === "noise";
  if (!known || r.low === null || r.high === null || r.relative === null) return t("diff.unknown");
  return t(`diff.${r.verdict as "less" | "more" | "noise"}`, {
    change: signed(r.relative),
    low: signed(r.low),
    high: signed(r.high),
  });
}

function relative(v: Value): string {
  return v.relative === null ? "–" : signed(v.relative);
}

function SideCard(props: {
  label: string;
  side: Side;
  unit: string;
  per: number | undefined;
  most: number;
}): JSX.Element {
  const { side, unit, per } = props;
  return (
    <div class="side">
      <h3>
        {props.label} <span class="quiet">{side.name}</span>
      </h3>
      {per !== undefined && (
        <p class="side-per">
          {t("diff.perrequest")} <b>{quantity(Math.round(per), unit)}</b>
        </p>
      )}
      <p>
        {t("diff.total")} <b>{quantity(side.total, unit)}</b>{" "}
        {side.noise > 0 && <span class="quiet">± {quantity(side.noise, unit)}</span>}
      </p>
      <p class="quiet">
        {[
          side.work && t("diff.requests", { n: number(Math.round(side.work.requests), language.value) }),
          side.duration_ns > 0 && span(side.duration_ns),
          side.events > 0 && `${number(side.events, language.value)} ${t("diff.samples")}`,
        ]
          .filter(Boolean)
          .join(" · ")}
      </p>
    </div>
  );
}

function Table(props: { doc: DiffResult; quiet: boolean; after: string; type: string }): JSX.Element {
  const { doc } = props;
  const usual = doc.per_request ? "request" : "change";
  const order = orders.find((o) => o === param("sort")) ?? usual;
  const rows = useMemo(() => {
    const all = list(doc)
      .map((e) => ({ e, v: pick(e, doc) }))
      .filter(({ v }) => v.change !== 0 || v.before !== 0)
      .filter(({ v }) => !props.quiet || !within(v));
    const size = (x: { e: Entry; v: Value }) => {
      const r = x.v.per_request;
      switch (order) {
        case "relative":
          return Math.abs(x.v.relative ?? (x.v.before === 0 ? 1e9 : 0));
        case "request":
          return r ? Math.abs(r.after - r.before) : Math.abs(x.v.change);
        default:
          return Math.abs(x.v.change);
      }
    };
    return all.sort((a, b) => (order === "name" ? (a.e.name < b.e.name ? -1 : 1) : size(b) - size(a)));
  }, [doc, order, props.quiet]);
  const head = (o: Order, text: string) => (
    <th scope="col" aria-sort={order === o ? (o === "name" ? "ascending" : "descending") : "none"}>
      <button type="button" class="plain" onClick={() => change({ sort: o === usual ? undefined : o }, true)}>
        {text}
        {order === o ? (o === "name" ? " ▴" : " ▾") : ""}
      </button>
    </th>
  );
  const [shown, setShown] = useState(step);
  useEffect(() => setShown(step), [rows]);
  if (rows.length === 0) return <p class="quiet">{t("diff.none")}</p>;
  const q = (v: number) => quantity(v, doc.unit);
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label={t("diff.title")}>
      <table class="diff-table folds">
        <thead>
          <tr>
            {head("name", t("diff.name"))}
            <th scope="col">{t("diff.before")}</th>
            <th scope="col">{t("diff.after")}</th>
            {head("change", t("diff.absolute"))}
            {head("relative", t("diff.relative"))}
            {doc.per_request && head("request", t("diff.request"))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, shown).map(({ e, v }) => (
            <tr
              key={`${e.name} ${e.file ?? ""} ${e.line ?? ""}`}
              class={within(v) ? "within" : v.change > 0 ? "grew" : "shrank"}
              aria-current={e.name === param("src") ? "true" : undefined}
            >
              <th scope="row">
                <a
                  href={link("flame", {
                    file: props.after,
                    type: props.type,
                    ...filterLinks(),
                    src: e.name,
                    line: e.line ? String(e.line) : "",
                  })}
                >
                  {shortName(e.name)}
                </a>
                {e.status && (
                  <span class="chip">{e.status === "appeared" ? t("diff.appeared") : t("diff.vanished")}</span>
                )}
                {e.file && (
                  <span class="place">
                    <EditorPlace file={e.file} line={e.line} text={placeText(e)} own={false} />
                  </span>
                )}
              </th>
              <td data-name={t("diff.before")}>{q(v.before)}</td>
              <td data-name={t("diff.after")}>{q(v.after)}</td>
              <td class="change" data-name={t("diff.absolute")}>
                <span>
                  {v.change > 0 ? "+" : ""}
                  {q(v.change)}
                  {v.noise > 0 && <span class="quiet"> ± {q(v.noise)}</span>}
                </span>
              </td>
              <td data-name={t("diff.relative")}>{relative(v)}</td>
              {doc.per_request && <Request v={v} unit={doc.unit} />}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > shown && <More reveal={() => setShown((n) => n + step)} />}
      <First n={shown} all={rows.length} />
      <First n={list(doc).length} all={list(doc).length + (doc.left_out ?? 0)} />
    </div>
  );
}

/** Whether chance alone explains a change. */
function within(v: Value): boolean {
  return v.per_request ? v.per_request.verdict === "noise" || v.per_request.verdict === "unknown" : v.within_noise;
}

function Request({ v, unit }: { v: Value; unit: string }): JSX.Element {
  const r = v.per_request;
  if (!r) return <td data-name={t("diff.request")}>–</td>;
  return (
    <td
      data-name={t("diff.request")}
      title={r.low !== null && r.high !== null ? `${signed(r.low)} … ${signed(r.high)}` : undefined}
    >
      <span>
        {quantity(Math.round(r.before), unit)} → {quantity(Math.round(r.after), unit)}
        {r.relative !== null && <b> {signed(r.relative)}</b>}
        {within(v) && <span class="quiet"> {t(r.verdict === "unknown" ? "diff.nointerval" : "diff.within")}</span>}
      </span>
    </td>
  );
}
