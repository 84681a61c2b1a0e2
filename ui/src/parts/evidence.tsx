import type { ComponentChildren, JSX } from "preact";
import { Fragment } from "preact";
import type { Answers, Measured, Prediction, Strength } from "../api/v1.ts";
import { hasWords } from "../lib/contents.ts";
import { percent } from "../lib/format.ts";
import { diffLines, figures, hunkLine, ofFiles, predictedChange, type Difference } from "../lib/proof.ts";
import { number } from "../lib/when.ts";
import { language, t, type Key } from "../texts/index.ts";
import { Bar, Section } from "./basics.tsx";
import { EditorPlace } from "./place.tsx";

/** How many rows of a list or table are shown: a file may have any number. */
const most = 200;

const count = (n: number) => number(n, language.value);

/**
 * A unified diff of the files whose names have all words of a query, each by its name. Files and hunks open in the
 * editor.
 */
export function ProofDiff({ text, query = "" }: { text: string; query?: string }): JSX.Element {
  let file = "";
  return (
    <pre class="diff" tabIndex={0}>
      {ofFiles(diffLines(text), (f) => hasWords(query, [f])).map((l, i) => {
        if (l.kind === "file") file = l.text;
        const line = l.kind === "hunk" ? hunkLine(l.text) : 0;
        return (
          <span key={i} class={l.kind}>
            {l.kind === "file" || line > 0 ? <EditorPlace file={file} line={line} text={l.text} /> : l.text}
            {"\n"}
          </span>
        );
      })}
    </pre>
  );
}

/** A list of facts; empty ones are left out. */
export function Facts({ list, class: name = "" }: { list: readonly ComponentChildren[]; class?: string }) {
  const some = list.filter((x) => x !== "" && x !== null && x !== undefined && x !== false);
  if (some.length === 0) return null;
  return (
    <ul class={`facts-list ${name}`}>
      {some.slice(0, most).map((x, i) => (
        <li key={i}>{x}</li>
      ))}
      {some.length > most && <li class="quiet">{t("list.more", { n: count(some.length - most) })}</li>}
    </ul>
  );
}

/** The figures of two versions, as a table; of the benchmarks that have all words of a query. */
export function Figures(props: { m: Measured | null | undefined; all: boolean; title?: string; query?: string }) {
  const { m, all, title, query = "" } = props;
  const subjects = (m?.ab?.subjects ?? []).filter((s) => hasWords(query, [s.name]));
  const rows = figures(subjects, all);
  const notes: string[] = subjects
    .filter((s) => s.error)
    .map((s) => t("proof.notmeasured", { name: s.name, why: s.error ?? "" }));
  if (rows.length === 0 && notes.length === 0) return null;
  const shared = subjects.filter((s) => s.units?.some((u) => u.shared)).map((s) => s.name);
  const varied = subjects.filter((s) => s.varied_layout).map((s) => s.name);
  if (shared.length > 0) notes.push(t("proof.shared", { names: shared.join(", ") }));
  if (varied.length > 0) notes.push(t("proof.varied", { names: varied.join(", ") }));
  return (
    <>
      {title && <h3>{title}</h3>}
      {rows.length > 0 && (
        <div class="scroll" tabIndex={0} role="group" aria-label={title ?? t("proof.figures")}>
          <table class="diff-table figures folds">
            <thead>
              <tr>
                <th scope="col">{t("proof.benchmark")}</th>
                <th scope="col">{t("diff.before")}</th>
                <th scope="col">{t("diff.after")}</th>
                <th scope="col">{t("diff.absolute")}</th>
                <th scope="col">{t("proof.interval")}</th>
                <th scope="col">{t("proof.remaining")}</th>
                <th scope="col">{t("proof.verdict")}</th>
              </tr>
            </thead>
            <tbody>
              {rows.slice(0, most).map((r) => (
                <tr key={`${r.name} ${r.unit}`} class={`is-${r.verdict}`}>
                  <th scope="row">
                    {r.name} <span class="quiet">{r.unit}</span>
                  </th>
                  <td data-name={t("diff.before")}>{r.before}</td>
                  <td data-name={t("diff.after")}>{r.after}</td>
                  <td class="change" data-name={t("diff.absolute")}>
                    {r.change}
                  </td>
                  <td data-name={t("proof.interval")}>{r.interval}</td>
                  <td data-name={t("proof.remaining")}>
                    {r.remaining >= 0 && <Bar share={r.remaining} kind={r.verdict === "worse" ? "gc" : "own"} />}
                  </td>
                  <td data-name={t("proof.verdict")}>
                    <span>
                      {verdictText(r.verdict)}
                      {r.times && ` (${r.times})`}
                    </span>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {rows.length > most && <p class="quiet">{t("list.more", { n: count(rows.length - most) })}</p>}
      {notes.map((n) => (
        <p key={n} class="quiet">
          {n}
        </p>
      ))}
    </>
  );
}

const verdicts: ReadonlyMap<string, Key> = new Map([
  ["better", "proof.is.better"],
  ["worse", "proof.is.worse"],
  ["same", "proof.is.same"],
  ["undecided", "proof.is.undecided"],
]);

function verdictText(verdict: string): string {
  const key = verdicts.get(verdict);
  return key ? t(key) : verdict;
}

/** On how many inputs two versions returned the same, and what was not compared. */
export function answersFacts(a: Answers | null | undefined): string[] {
  if (!a) return [];
  const functions = a.functions ?? [];
  const list: string[] = [];
  if (functions.length > 0)
    list.push(
      a.distinct
        ? t("proof.distinct", { names: functions.join(", "), n: count(a.inputs), distinct: count(a.distinct) })
        : t("proof.answers", { names: functions.join(", "), n: count(a.inputs) }),
    );
  if (a.error_texts) list.push(t("proof.errortexts", { n: count(a.error_texts) }));
  if (a.blocks) list.push(t("proof.blocks", { n: count(a.reached ?? 0), all: count(a.blocks) }));
  for (const why of a.apart ?? []) list.push(t("proof.apart", { why }));
  for (const why of a.not ?? []) list.push(t("proof.notcompared", { why }));
  return list;
}

/** What was measured with which benchmarks, and what noise leaves open. */
export function measuredFacts(m: Measured | null | undefined, open: readonly string[] | null | undefined): string[] {
  const list = m?.written ? [t("proof.generated"), ...(m.paths ?? [])] : [];
  if (open?.length) list.push(t("proof.open", { list: open.join("; ") }));
  return list;
}

/** The change of the recorded program's CPU time that a benchmark shows, and how similar that is to the program. */
export function predictedFacts(p: Prediction | null | undefined): string[] {
  if (!p) return [];
  const benchmark = p.inputs ? t("proof.benchmarkwith", { benchmark: p.benchmark, inputs: p.inputs }) : p.benchmark;
  return [
    t("proof.predicted", { change: predictedChange(p), benchmark }),
    t("proof.predictedfrom", { share: percent(p.share, 1), below: percent(p.below, 1) }),
    p.unknown
      ? t("proof.notsimilar", { benchmark: p.benchmark, why: p.unknown })
      : t("proof.similar", { benchmark: p.benchmark, share: percent(p.similar ?? 0, 1) }),
  ];
}

/** The same input with the answers of both versions. */
export function Differs({ d }: { d: Difference }): JSX.Element {
  return (
    <div class="differs">
      {d.input && (
        <>
          <h3>{t("proof.input")}</h3>
          <pre class="finding-code" tabIndex={0}>
            {d.input}
          </pre>
        </>
      )}
      <div class="two">
        {(["before", "after"] as const).map((side) => (
          <div key={side}>
            <h3>{t(side === "before" ? "proof.answerbefore" : "proof.answerafter")}</h3>
            <pre class="diff" tabIndex={0}>
              {d[side].map((l, i) => (
                <span key={i} class={l.differs ? (side === "before" ? "minus" : "plus") : ""}>
                  {l.text + "\n"}
                </span>
              ))}
            </pre>
          </div>
        ))}
      </div>
      {d.note && <p class="hint">{d.note}</p>}
    </div>
  );
}

/** How many small errors in the changed lines would be noticed, and those that would not. */
export function StrengthOf({ s, id, query = "" }: { s: Strength; id?: string; query?: string }): JSX.Element {
  const survivors = (s.survivors ?? []).filter((m) => hasWords(query, [m.file, m.mutator]));
  const more = s.mutants - s.noticed - (s.survivors?.length ?? 0);
  return (
    <Section title={t("proof.strength")} class="strength" {...(id ? { id } : {})}>
      {s.mutants > 0 && (
        <p>
          <Bar share={s.noticed / s.mutants} kind="own" /> <b>{percent(s.noticed, s.mutants)}</b>{" "}
          {t("proof.noticed", {
            n: count(s.noticed),
            all: count(s.mutants),
            inputs: count(s.by_inputs),
            tests: count(s.by_tests),
          })}
        </p>
      )}
      <Facts
        list={[
          s.timed_out ? t("proof.timedout", { n: count(s.timed_out) }) : "",
          s.unreached ? t("proof.unreached", { n: count(s.unreached) }) : "",
          s.untried ? t("proof.untried", { n: count(s.untried) }) : "",
          ...(s.not ?? []),
        ]}
      />
      {survivors.length > 0 && (
        <>
          <h3>{t("proof.survivors")}</h3>
          <p class="quiet">{t("proof.equivalent")}</p>
          {survivors.slice(0, most).map((m, i) => (
            <Fragment key={i}>
              <p class="frame-at">
                <EditorPlace file={m.file} line={m.line} /> · {m.mutator}
                {!m.reached && ` · ${t("proof.notrun")}`}
              </p>
              <ProofDiff text={m.diff} />
            </Fragment>
          ))}
          {more > 0 && <p class="quiet">{t("list.more", { n: count(more) })}</p>}
        </>
      )}
    </Section>
  );
}
