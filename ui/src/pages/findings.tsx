import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { address, get } from "../api/client.ts";
import type { Evidence, Finding, FindResult, HotLine } from "../api/v1.ts";
import type { BarRow } from "../lib/bars.ts";
import { percent } from "../lib/format.ts";
import { shortName } from "../lib/names.ts";
import { Bar, Failure, First, Loading, Section, Warnings } from "../parts/basics.tsx";
import { EditorPlace } from "../parts/place.tsx";
import { useLoad } from "../state/load.ts";
import { barFiles, property } from "../state/picture.ts";
import { change, file, param } from "../state/route.ts";
import { csv, save, sharing } from "../state/shell.ts";
import { t } from "../texts/index.ts";
import { Diff } from "./overview.tsx";

/** How many lines without a finding, and how many places of one finding, are drawn. */
const mostLines = 50;
const mostPlaces = 8;

/** The causes of costs in a file of whet find --json. */
export function Findings(): JSX.Element {
  const name = file.value;
  const doc = useLoad(`findings ${name}`, (signal) => get<FindResult | null>("/findings", { file: name }, signal));
  const d = doc.value;
  useEffect(() => {
    sharing.value = {
      command: ["whet", "ui", name],
      files: [
        { key: "share.page", href: address("/findings", { file: name, format: "html" }) },
        { key: "share.json", href: address("/download", { file: name }) },
        { key: "share.csv", make: () => save(`${name.split("/").at(-1)}.csv`, csv(rows(d?.findings ?? []))) },
        ...barFiles(`${name.split("/").at(-1)}.findings`, t("find.list"), () => (d?.findings ?? []).map(bar)),
      ],
    };
  }, [d, name]);
  return (
    <div class="overview findings">
      {doc.error !== null && <Failure error={doc.error} again={doc.again} />}
      {!d && doc.busy && <Loading />}
      {!d && !doc.busy && doc.error === null && <p class="quiet">{t("find.none")}</p>}
      {d && <Document d={d} />}
    </div>
  );
}

/** What a finding saves at most. */
function bar(f: Finding): BarRow {
  const at = f.places?.[0];
  return {
    name: f.title,
    note: [shortName(f.function), at ? `${at.file}:${at.line}` : ""].filter(Boolean).join(" · "),
    value: f.saving,
    text: percent(f.saving, 1),
    color: property("--k-own"),
  };
}

function rows(list: readonly Finding[]): (string | number)[][] {
  return [
    ["rule", "title", "function", "file", "line", "saves at most"],
    ...list.map((f) => {
      const at = f.places?.[0];
      return [f.rule, f.title, f.function, at?.file ?? "", at?.line ?? 0, f.saving];
    }),
  ];
}

function Document({ d }: { d: FindResult }): JSX.Element {
  const all = d.findings ?? [];
  const query = param("q").toLowerCase();
  const text = (f: Finding) =>
    [f.rule, f.title, f.function, ...(f.places ?? []).map((p) => p.file)].join(" ").toLowerCase();
  const found = all.filter((f) => query.split(/\s+/).every((w) => text(f).includes(w)));
  const lines = d.unexplained ?? [];
  return (
    <>
      <div class="facts-block">
        <h1>{t("over.found", { n: all.length })}</h1>
        <p class="quiet">{[d.program || d.module, t("find.rules", { n: d.rules })].filter(Boolean).join(" · ")}</p>
      </div>
      <Warnings list={d.warnings} />
      <Section
        title={t("find.list")}
        aside={
          <input
            class="wide-search"
            type="search"
            placeholder={t("find.filter")}
            aria-label={t("find.filter")}
            value={param("q")}
            onInput={(e) => change({ q: e.currentTarget.value }, true)}
          />
        }
      >
        {found.length === 0 && <p class="quiet">{t("find.none")}</p>}
        <ol class="line-list">
          {found.map((f) => (
            <Item key={f.id} f={f} />
          ))}
        </ol>
      </Section>
      {lines.length > 0 && (
        <Section title={t("find.unexplained")}>
          <ul class="line-list">
            {lines.slice(0, mostLines).map((l, i) => (
              <Line key={i} l={l} />
            ))}
          </ul>
          <First n={mostLines} all={lines.length} />
        </Section>
      )}
    </>
  );
}

function Item({ f }: { f: Finding }): JSX.Element {
  return (
    <li class="line-row finding-row" id={f.id}>
      <div class="line-cost">
        <b>{percent(f.saving, 1)}</b> <Bar share={f.saving} />
      </div>
      <div>
        <h3>{f.title}</h3>
        <p class="quiet">
          {t("over.saves", { share: percent(f.saving, 1) })} · <code>{f.rule}</code>
          {f.known && ` · ${t("find.known")}`}
        </p>
        {(f.places ?? []).slice(0, mostPlaces).map((p) => (
          <Place key={`${p.file}:${p.line}:${p.column}`} file={p.file} line={p.line} code={p.code} in={f.function} />
        ))}
        <First n={mostPlaces} all={f.places?.length ?? 0} />
        <p>{f.why}</p>
        <Costs list={f.evidence} />
        {f.fix && (
          <details>
            <summary>
              {t("over.rewrite")}: {f.fix.message}
            </summary>
            {f.fix.diff && <Diff text={f.fix.diff} />}
            {[...(f.fix.setting?.build ?? []), ...(f.fix.setting?.run ?? [])].map((s) => (
              <p key={s}>
                <code>{s}</code>
              </p>
            ))}
            {f.safe && <p class="quiet">{f.safe}</p>}
          </details>
        )}
        {!f.fix && f.no_fix && <p class="quiet">{t("find.nofix", { why: f.no_fix })}</p>}
      </div>
    </li>
  );
}

function Place(props: { file: string; line: number; code: string; in: string }): JSX.Element {
  return (
    <div class="finding-place">
      <p class="frame-at">
        {shortName(props.in)} · <EditorPlace file={props.file} line={props.line} />
      </p>
      {props.code && (
        <pre class="finding-code" tabIndex={0}>
          {props.code}
        </pre>
      )}
    </div>
  );
}

function Costs({ list }: { list: readonly Evidence[] | null }): JSX.Element | null {
  const some = (list ?? []).filter((e) => e.share > 0);
  if (some.length === 0) return null;
  return <p class="quiet">{some.map((e) => `${percent(e.share, 1)} ${e.cost}`).join(" · ")}</p>;
}

function Line({ l }: { l: HotLine }): JSX.Element {
  return (
    <li class="line-row">
      <div class="line-cost">
        <b>{percent(l.share, 1)}</b> <Bar share={l.share} />
      </div>
      <div>
        <Place file={l.file} line={l.line} code={l.code} in={l.function} />
        {l.why && <p>{l.why}</p>}
        <Costs list={l.evidence} />
      </div>
    </li>
  );
}
