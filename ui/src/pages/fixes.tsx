import type { ComponentChildren, JSX } from "preact";
import { useEffect } from "preact/hooks";
import { address, get } from "../api/client.ts";
import type { Attempt, FixResult } from "../api/v1.ts";
import type { BarRow } from "../lib/bars.ts";
import { distinct, hasWords } from "../lib/contents.ts";
import { percent } from "../lib/format.ts";
import { shortName } from "../lib/names.ts";
import { number } from "../lib/when.ts";
import { Choice, Failure, First, Loading, Section, Warnings } from "../parts/basics.tsx";
import { chosenRules, WithContents, type Chapter } from "../parts/contents.tsx";
import { answersFacts, Facts, Figures, measuredFacts, predictedFacts, ProofDiff } from "../parts/evidence.tsx";
import { EditorPlace } from "../parts/place.tsx";
import { useLoad } from "../state/load.ts";
import { barFiles, property } from "../state/picture.ts";
import { change, file, param } from "../state/route.ts";
import { csv, save, sharing } from "../state/shell.ts";
import { language, t, type Key } from "../texts/index.ts";

const count = (n: number) => number(n, language.value);

/** How many rewrites are drawn: a file may have any number. */
const most = 200;

type Group = "kept" | "unproven" | "dropped" | "needs";

const groupText: Record<Group, Key> = {
  kept: "fixes.kept",
  unproven: "fixes.unproven",
  dropped: "fixes.dropped",
  needs: "fixes.needs",
};

function groupOf(a: Attempt): Group {
  if (a.stage === "kept" || a.stage === "unproven" || a.stage === "needs") return a.stage;
  return "dropped";
}

/** Which rewrites are proven: a file of whet fix --json. */
export function Fixes(): JSX.Element {
  const name = file.value;
  const doc = useLoad(`fixes ${name}`, (signal) => get<FixResult>("/fixes", { file: name }, signal));
  const d = doc.value;
  useEffect(() => {
    sharing.value = {
      command: ["whet", "ui", name],
      files: [
        { key: "share.page", href: address("/fixes", { file: name, format: "html" }) },
        { key: "share.json", href: address("/download", { file: name }) },
        { key: "share.csv", make: () => save(`${name.split("/").at(-1)}.csv`, csv(rows(d?.attempts ?? []))) },
        ...barFiles(`${name.split("/").at(-1)}.fixes`, t("fixes.rewrites"), () => (d?.attempts ?? []).map(bar)),
      ],
    };
  }, [d, name]);
  return (
    <div class="overview proof fixes">
      {doc.error !== null && <Failure error={doc.error} again={doc.again} />}
      {!d && doc.busy && <Loading />}
      {d && <Document d={d} />}
    </div>
  );
}

/** What a rewrite saves at most, in the color of what became of it. */
function bar(a: Attempt): BarRow {
  const group = groupOf(a);
  return {
    name: a.finding.title,
    note: [t(groupText[group]), shortName(a.finding.function)].join(" · "),
    value: a.finding.saving,
    text: percent(a.finding.saving, 1),
    color: property(group === "kept" ? "--good" : group === "dropped" ? "--bad" : "--k-other"),
  };
}

function rows(list: readonly Attempt[]): (string | number)[][] {
  return [
    ["stage", "rule", "title", "function", "file", "line", "saves at most", "reason"],
    ...list.map((a) => {
      const at = a.finding.places?.[0];
      const f = a.finding;
      return [a.stage, f.rule, f.title, f.function, at?.file ?? "", at?.line ?? 0, f.saving, a.reason ?? ""];
    }),
  ];
}

/** A rewrite that was tried, with the name of its element. */
interface Named {
  readonly a: Attempt;
  readonly id: string;
}

function named(what: string, list: readonly Attempt[]): Named[] {
  const ids = distinct(list.map((a) => `${what}-${a.finding.id}`));
  return list.map((a, i) => ({ a, id: ids[i]! }));
}

/** What the filter for text looks in. */
function textsOf({ finding: f }: Attempt): string[] {
  return [f.rule, f.title, f.function, ...(f.places ?? []).map((p) => p.file)];
}

function Document({ d }: { d: FixResult }): JSX.Element {
  const all = d.attempts ?? [];
  const query = param("q");
  const chosen = chosenRules();
  const tries = named("rewrite", all);
  const set = named("setting", d.settings ?? []);
  const read = [tries, set].map((list) => list.filter(({ a }) => hasWords(query, textsOf(a))));
  const [rewrites = [], settings = []] = read.map((list) =>
    list.filter(({ a }) => chosen.size === 0 || chosen.has(a.finding.rule)),
  );
  // What was not tried has no rule.
  const untried = (d.untried ?? []).filter(
    (u) => chosen.size === 0 && hasWords(query, [u.title, u.function, u.file, u.reason]),
  );
  const groups = (Object.keys(groupText) as Group[]).filter((g) => all.some((a) => groupOf(a) === g));
  const shown = param("show");
  const listed = groups.flatMap((g) => (shown && shown !== g ? [] : rewrites.filter(({ a }) => groupOf(a) === g)));
  const kept = all.filter((a) => a.stage === "kept").length;
  const measured = d.service?.ab || d.total?.ab || d.with_settings?.ab;
  const entries = (list: readonly Named[]) =>
    list.slice(0, most).map(({ a, id }) => ({ id, title: a.finding.title, note: t(groupText[groupOf(a)]) }));
  const chapters: Chapter[] = [];
  if (measured) chapters.push({ id: "total", title: t("fixes.total") });
  if (all.length > 0)
    chapters.push({ id: "rewrites", title: t("fixes.rewrites"), count: listed.length, entries: entries(listed) });
  if (settings.length > 0)
    chapters.push({ id: "settings", title: t("fixes.settings"), count: settings.length, entries: entries(settings) });
  if (untried.length > 0) chapters.push({ id: "untried", title: t("fixes.untried"), count: untried.length });
  return (
    <>
      <div class={`verdict-head mood-${kept > 0 ? "good" : "warn"}`}>
        <h1>{t("fixes.head", { kept: count(kept), all: count(all.length) })}</h1>
        <p class="quiet">
          {d.module}
          {d.rounds > 1 && ` · ${t("fixes.passes", { n: count(d.rounds) })}`}
        </p>
      </div>
      <Warnings list={d.warnings} />
      {d.interrupted && <p class="warnings">{t("fixes.interrupted")}</p>}
      <Facts
        list={[
          d.failing?.length ? t("proof.failing", { list: d.failing.join(", ") }) : "",
          d.flaky?.length ? t("proof.flaky", { list: d.flaky.join(", ") }) : "",
          ...(d.broken ?? []).map((b) => t("fixes.broken", { name: b.package, why: b.reason.split("\n")[0] ?? "" })),
        ]}
      />
      <WithContents
        filter={t("find.filter")}
        rules={{ of: read.flat().map(({ a }) => a.finding.rule) }}
        kept={listed.length + settings.length + untried.length}
        all={tries.length + set.length + (d.untried?.length ?? 0)}
        chapters={chapters}
      >
        {measured && (
          <Section title={t("fixes.total")} id="total">
            {d.service && <Figures m={d.service} all title={t("fixes.service")} />}
            <Figures m={d.total} all {...(d.service || d.with_settings ? { title: t("fixes.benchmarks") } : {})} />
            {d.with_settings && <Figures m={d.with_settings} all title={t("fixes.withsettings")} />}
          </Section>
        )}
        {all.length > 0 && (
          <Section
            title={t("fixes.rewrites")}
            id="rewrites"
            aside={
              groups.length > 1 && (
                <Choice
                  label={t("fixes.show")}
                  value={shown}
                  options={[["", t("hub.all")], ...groups.map((g) => [g, t(groupText[g])] as const)]}
                  pick={(show) => change({ show }, true)}
                />
              )
            }
          >
            {listed.length === 0 && <p class="quiet">{t("find.kept")}</p>}
            <ol class="line-list">
              {listed.slice(0, most).map(({ a, id }) => (
                <Item key={id} a={a} id={id} />
              ))}
            </ol>
            <First n={most} all={listed.length} />
          </Section>
        )}
        {settings.length > 0 && (
          <Section title={t("fixes.settings")} id="settings">
            <ol class="line-list">
              {settings.slice(0, most).map(({ a, id }) => (
                <Item key={id} a={a} id={id} />
              ))}
            </ol>
            <First n={most} all={settings.length} />
          </Section>
        )}
        {untried.length > 0 && (
          <Section title={t("fixes.untried")} id="untried">
            <ul class="line-list">
              {untried.slice(0, most).map((u, i) => (
                <li key={i} class="line-row">
                  <div class="line-cost">{u.share > 0 && <b>{percent(u.share, 1)}</b>}</div>
                  <div>
                    <p class="frame-at">
                      {shortName(u.function)} · <EditorPlace file={u.file} line={u.line} />
                    </p>
                    <p>{[u.title, u.reason].filter(Boolean).join(": ")}</p>
                  </div>
                </li>
              ))}
            </ul>
            <First n={most} all={untried.length} />
          </Section>
        )}
      </WithContents>
    </>
  );
}

/** A rewrite with its proof next to the diff, or why it was dropped. */
function Item({ a, id }: Named): JSX.Element {
  const f = a.finding;
  const at = f.places?.[0];
  const group = groupOf(a);
  const set = [...(f.fix?.setting?.build ?? []), ...(f.fix?.setting?.run ?? [])];
  return (
    <li class={`attempt attempt-${group}`} id={id} tabIndex={-1}>
      <h3>
        <span class={`badge mood-${group === "kept" ? "good" : group === "dropped" ? "bad" : "warn"}`}>
          {t(groupText[group])}
        </span>{" "}
        {f.title}
      </h3>
      <p class="frame-at">
        {shortName(f.function)}
        {at && (
          <>
            {" · "}
            <EditorPlace file={at.file} line={at.line} />
          </>
        )}{" "}
        · <code>{f.rule}</code>
      </p>
      {set.map((s) => (
        <p key={s}>
          <code>{s}</code>
        </p>
      ))}
      <div class={a.diff ? "two" : ""}>
        <div>
          <p>{f.why}</p>
          {a.stage !== "kept" && a.reason && (
            <>
              {group === "dropped" && <p class="quiet">{t("fixes.stage", { stage: a.stage })}</p>}
              <pre class="finding-code" tabIndex={0}>
                {a.reason}
              </pre>
            </>
          )}
          {a.hint && <p class="hint">{a.hint}</p>}
          <Facts list={facts(a)} />
        </div>
        {a.diff && (
          <div>
            <ProofDiff text={a.diff} />
          </div>
        )}
      </div>
      <Figures m={a.measured} all={false} />
    </li>
  );
}

function facts(a: Attempt): ComponentChildren[] {
  return [
    a.finding.saving > 0 ? t("over.saves", { share: percent(a.finding.saving, 1) }) : "",
    a.round > 1 ? t("fixes.pass", { n: count(a.round) }) : "",
    a.together ? t("fixes.together", { n: count(a.together) }) : "",
    a.tested ? t("proof.tests", { n: count(a.tested) }) : a.answers ? t("proof.notests") : "",
    a.ignored ? t("proof.ignored", { n: count(a.ignored) }) : "",
    ...answersFacts(a.answers),
    a.unproven ? t("fixes.review", { why: a.unproven }) : "",
    ...measuredFacts(a.measured, a.open),
    ...predictedFacts(a.predicted),
    ...(a.aside ?? []).map((what) => t("proof.aside", { what })),
  ];
}
