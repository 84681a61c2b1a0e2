import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { address, get } from "../api/client.ts";
import type { ProveResult, Verdict } from "../api/v1.ts";
import type { BarRow } from "../lib/bars.ts";
import { hasWords } from "../lib/contents.ts";
import { percent, quantity } from "../lib/format.ts";
import { outcomes } from "../lib/outcomes.ts";
import { costValue, difference, diffLines, figures, filesOf } from "../lib/proof.ts";
import { number, span } from "../lib/when.ts";
import { Failure, Loading, Section, Warnings } from "../parts/basics.tsx";
import { WithContents, type Chapter } from "../parts/contents.tsx";
import {
  answersFacts,
  Differs,
  Facts,
  Figures,
  measuredFacts,
  predictedFacts,
  ProofDiff,
  StrengthOf,
} from "../parts/evidence.tsx";
import { EditorPlace } from "../parts/place.tsx";
import { useLoad } from "../state/load.ts";
import { barFiles, property } from "../state/picture.ts";
import { file, param } from "../state/route.ts";
import { csv, save, sharing } from "../state/shell.ts";
import { language, t, type Key } from "../texts/index.ts";

const count = (n: number) => number(n, language.value);

/** What is proven of a change: a file of whet prove --json. */
export function Proof(): JSX.Element {
  const name = file.value;
  const doc = useLoad(`proof ${name}`, (signal) => get<ProveResult>("/proof", { file: name }, signal));
  const d = doc.value;
  useEffect(() => {
    sharing.value = {
      command: ["whet", "ui", name],
      files: [
        { key: "share.page", href: address("/proof", { file: name, format: "html" }) },
        { key: "share.json", href: address("/download", { file: name }) },
        {
          key: "share.csv",
          make: () => save(`${name.split("/").at(-1)}.csv`, csv(rows(d))),
        },
        ...barFiles(`${name.split("/").at(-1)}.proof`, t("proof.figures"), () => bars(d)),
      ],
    };
  }, [d, name]);
  return (
    <div class="overview proof">
      {doc.error !== null && <Failure error={doc.error} again={doc.again} />}
      {!d && doc.busy && <Loading />}
      {d && <Document d={d} />}
    </div>
  );
}

/** The changes of the figures: what became less is to the left. */
function bars(d: ProveResult | null): BarRow[] {
  return figures(d?.verdict?.measured?.ab?.subjects ?? [], true).map((r) => ({
    name: r.name,
    note: `${r.unit} · ${r.before} → ${r.after}`,
    value: r.relative,
    text: `${r.change} ${r.interval}`.trim(),
    color: property(r.verdict === "better" ? "--good" : r.verdict === "worse" ? "--bad" : "--k-other"),
  }));
}

function rows(d: ProveResult | null): (string | number)[][] {
  return [
    ["benchmark", "unit", "before", "after", "change", "95%", "verdict"],
    ...figures(d?.verdict?.measured?.ab?.subjects ?? [], true).map((r) => [
      ...[r.name, r.unit, r.before, r.after, r.change, r.interval, r.verdict],
    ]),
  ];
}

function Document({ d }: { d: ProveResult }): JSX.Element {
  const how = outcomes.get(d.outcome);
  const differs = difference(d.reason);
  const v = d.verdict ?? null;
  const changed = d.changed;
  const costs = d.side_costs ?? [];
  const notJudged = changesNotJudged(d);
  const query = param("q");
  const parts: readonly (readonly [id: string, title: Key, there: unknown])[] = [
    ["missing", "proof.missing", d.missing?.length],
    ["differs", "proof.differs", differs || d.reproducer],
    ["figures", "proof.figures", v?.measured?.ab],
    ["costs", "proof.costs", costs.length],
    ["checked", "proof.checked", v],
    ["change", "proof.change", changed.diff],
    ["strength", "proof.strength", v?.strength],
    ["not-judged", "proof.notjudged", notJudged.length],
    ["changed", "proof.changed", true],
    ["written", "proof.written", v?.measured?.written],
  ];
  const chapters: Chapter[] = parts.filter(([, , there]) => there).map(([id, title]) => ({ id, title: t(title) }));
  // What the filter is for: there may be many of each.
  const names = [
    ...(v?.measured?.ab?.subjects ?? []).map((s) => s.name),
    ...(v?.strength?.survivors ?? []).map((m) => `${m.file} ${m.mutator}`),
    ...filesOf(diffLines(changed.diff ?? "")),
  ];
  return (
    <>
      <div class={`verdict-head mood-${how?.mood ?? "warn"}`}>
        <h1>{how ? t(how.text) : d.outcome}</h1>
        <Reason text={differs ? differs.what : d.reason} />
        <p class="quiet">{t("proof.versions", { module: d.module, a: d.a, b: d.b })}</p>
      </div>
      <Warnings list={d.warnings} />
      {d.interrupted && <p class="warnings">{t("proof.interrupted")}</p>}
      <WithContents
        filter={t("proof.filter")}
        kept={names.filter((n) => hasWords(query, [n])).length}
        all={names.length}
        chapters={chapters}
      >
        {(d.missing ?? []).length > 0 && (
          <Section title={t("proof.missing")} id="missing">
            <Facts
              class="missing-facts"
              list={d.missing!.map((m) => (
                <>
                  <span class="lines-kept">{m.what}</span>
                  {m.do && <span class="hint"> {m.do}</span>}
                </>
              ))}
            />
          </Section>
        )}
        {(differs || d.reproducer) && (
          <Section title={t("proof.differs")} id="differs">
            {differs && <Differs d={differs} />}
            {d.place && (
              <p class="frame-at">
                <EditorPlace file={d.place.file} line={d.place.line} />
              </p>
            )}
            <Reproduce d={d} />
          </Section>
        )}
        {v?.measured?.ab && (
          <Section title={t("proof.figures")} id="figures">
            <Figures m={v.measured} all query={query} />
          </Section>
        )}
        {costs.length > 0 && (
          <Section title={t("proof.costs")} id="costs">
            <Facts
              list={costs.map((c) =>
                t("proof.cost", {
                  what: c.what,
                  a: costValue(c.a, c.unit, quantity),
                  b: costValue(c.b, c.unit, quantity),
                  where: c.where,
                }),
              )}
            />
          </Section>
        )}
        <div class={changed.diff && v ? "two" : ""}>
          {v && (
            <Section title={t("proof.checked")} id="checked">
              <Facts list={checked(d, v)} />
            </Section>
          )}
          {changed.diff && (
            <Section title={t("proof.change")} id="change">
              <ProofDiff text={changed.diff} query={query} />
            </Section>
          )}
        </div>
        {v?.strength && <StrengthOf s={v.strength} id="strength" query={query} />}
        {notJudged.length > 0 && (
          <Section title={t("proof.notjudged")} id="not-judged">
            <Facts list={notJudged} />
          </Section>
        )}
        <Section title={t("proof.changed")} id="changed">
          <Facts
            list={(
              [
                ["proof.files", changed.files],
                ["proof.functions", changed.functions],
                ["proof.added", changed.added],
                ["proof.removed", changed.removed],
                ["proof.declarations", changed.declarations],
              ] as const
            ).map(([key, list]) => (list?.length ? t(key, { list: some(list) }) : ""))}
          />
          {!changed.files?.length && <p class="quiet">{t("proof.nothing")}</p>}
        </Section>
        {v?.measured?.written && (
          <Section title={t("proof.written")} id="written">
            <details>
              <summary>{t("proof.source")}</summary>
              <pre class="finding-code" tabIndex={0}>
                {v.measured.written}
              </pre>
            </details>
          </Section>
        )}
      </WithContents>
      {(v?.took ?? []).length > 0 && (
        <p class="quiet proof-took">
          {t("proof.took", { list: v!.took!.map((s) => `${s.what} ${span(s.ns)}`).join(", ") })}
        </p>
      )}
    </>
  );
}

/** Why it is that outcome: a sentence, or what a tool has printed. */
function Reason({ text }: { text: string }): JSX.Element {
  const [first, ...rest] = text.split("\n");
  return (
    <>
      <p class="verdict-text">{first}</p>
      {rest.length > 0 && (
        <pre class="finding-code" tabIndex={0}>
          {rest.join("\n")}
        </pre>
      )}
    </>
  );
}

/** A test that shows the difference, or why there is none. */
function Reproduce({ d }: { d: ProveResult }): JSX.Element | null {
  const p = d.reproducer;
  if (!p) return null;
  return (
    <div class="reproduce">
      <h3>{t("proof.reproduce")}</h3>
      {p.not && <p>{t("proof.notest", { why: p.not })}</p>}
      {p.source && <p>{t("proof.test", { file: p.file ?? "" })}</p>}
      <p>
        <code>{p.command}</code>
      </p>
      {p.source && (
        <details>
          <summary>{p.file}</summary>
          <pre class="finding-code" tabIndex={0}>
            {p.source}
          </pre>
        </details>
      )}
    </div>
  );
}

/** How far the proof got, and by what. */
function checked(d: ProveResult, v: Verdict): string[] {
  const list: string[] = [];
  if (d.cost) list.push(t("proof.charged", { share: percent(d.cost.share, 1) }));
  if (v.same_code) list.push(t("proof.samecode", { n: count(v.same_code) }));
  if (v.tested) {
    list.push(t("proof.tests", { n: count(v.tested) }));
    if (d.tests_of === "b") list.push(t("proof.testsofb"));
    if (v.raced) list.push(t("proof.raced"));
  } else if (v.answers) list.push(t("proof.notests"));
  if (v.ignored) list.push(t("proof.ignored", { n: count(v.ignored) }));
  if (d.sandboxed) list.push(t("proof.sandboxed"));
  list.push(...answersFacts(v.answers));
  const built = (v.configs ?? []).filter((c) => c.built).map((c) => c.config);
  if (built.length > 0) list.push(t("proof.builds", { list: some(built) }));
  for (const c of v.configs ?? []) if (!c.built) list.push(t("proof.notbuilt", { config: c.config, why: c.not ?? "" }));
  list.push(...measuredFacts(v.measured, v.open));
  list.push(...predictedFacts(d.predicted));
  for (const loss of v.aside ?? []) list.push(t("proof.aside", { what: loss }));
  if (d.base.failing?.length) list.push(t("proof.failing", { list: some(d.base.failing) }));
  if (d.base.flaky?.length) list.push(t("proof.flaky", { list: some(d.base.flaky) }));
  return list;
}

/** What changed but is not judged. */
function changesNotJudged(d: ProveResult): string[] {
  const c = d.changed;
  return [
    d.tests_of === "a" && c.tests?.length ? t("proof.testschanged", { list: some(c.tests) }) : "",
    c.not_judged?.length ? t("proof.otherpackages", { list: some(c.not_judged) }) : "",
    c.other?.length ? t("proof.otherfiles", { list: some(c.other) }) : "",
    c.unused?.length ? t("proof.unused", { list: some(c.unused) }) : "",
    c.outside?.length ? t("proof.outside", { list: some(c.outside) }) : "",
  ].filter(Boolean);
}

/** The first names of a list, and the number of the others. */
function some(names: readonly string[]): string {
  const first = names.slice(0, 20).join(", ");
  return names.length > 20 ? `${first}, ${t("list.more", { n: count(names.length - 20) })}` : first;
}
