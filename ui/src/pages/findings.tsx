import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { address, get } from "../api/client.ts";
import type { Evidence, Finding, FindResult, HotLine } from "../api/v1.ts";
import type { BarRow } from "../lib/bars.ts";
import { distinct, hasWords } from "../lib/contents.ts";
import { percent } from "../lib/format.ts";
import { shortName } from "../lib/names.ts";
import { Bar, Failure, First, Loading, Section, Warnings } from "../parts/basics.tsx";
import { chosenRules, WithContents } from "../parts/contents.tsx";
import { EditorPlace } from "../parts/place.tsx";
import { useLoad } from "../state/load.ts";
import { barFiles, property } from "../state/picture.ts";
import { file, param } from "../state/route.ts";
import { csv, save, sharing } from "../state/shell.ts";
import { t } from "../texts/index.ts";
import { Diff } from "./overview.tsx";

/** How many findings, lines without one, and places of one finding are drawn. */
const most = 200;
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
  const ids = distinct(all.map((f) => `finding-${f.id}`));
  const query = param("q");
  const chosen = chosenRules();
  const read = all
    .map((f, i) => ({ f, id: ids[i]! }))
    .filter(({ f }) => hasWords(query, [f.rule, f.title, f.function, ...(f.places ?? []).map((p) => p.file)]));
  const found = read.filter(({ f }) => chosen.size === 0 || chosen.has(f.rule));
  // A line without a finding has no rule.
  const lines = (d.unexplained ?? []).filter((l) => chosen.size === 0 && hasWords(query, [l.function, l.file]));
  const listed = found.slice(0, most);
  return (
    <>
      <div class="facts-block">
        <h1>{t("over.found", { n: all.length })}</h1>
        <p class="quiet">{[d.program || d.module, t("find.rules", { n: d.rules })].filter(Boolean).join(" · ")}</p>
      </div>
      <Warnings list={d.warnings} />
      <WithContents
        filter={t("find.filter")}
        rules={{ of: read.map(({ f }) => f.rule) }}
        kept={found.length + lines.length}
        all={all.length + (d.unexplained?.length ?? 0)}
        chapters={[
          {
            id: "found",
            title: t("find.list"),
            count: found.length,
            entries: listed.map(({ f, id }) => ({ id, title: f.title, note: percent(f.saving, 1) })),
          },
          ...(lines.length > 0 ? [{ id: "lines", title: t("find.unexplained"), count: lines.length }] : []),
        ]}
      >
        <Section title={t("find.list")} id="found">
          {found.length === 0 && <p class="quiet">{all.length > 0 ? t("find.kept") : t("find.none")}</p>}
          <ol class="line-list">
            {listed.map(({ f, id }) => (
              <Item key={id} f={f} id={id} />
            ))}
          </ol>
          <First n={most} all={found.length} />
        </Section>
        {lines.length > 0 && (
          <Section title={t("find.unexplained")} id="lines">
            <ul class="line-list">
              {lines.slice(0, mostLines).map((l, i) => (
                <Line key={i} l={l} />
              ))}
            </ul>
            <First n={mostLines} all={lines.length} />
          </Section>
        )}
      </WithContents>
    </>
  );
}

function Item({ f, id }: { f: Finding; id: string }): JSX.Element {
  return (
    <li class="line-row finding-row" id={id} tabIndex={-1}>
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
          {props.code.includes("\n") ? props.code : props.code.trimStart()}
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
