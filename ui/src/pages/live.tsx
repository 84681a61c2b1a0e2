import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { address, online, ProblemError } from "../api/client.ts";
import type { LiveLine, Problem, State } from "../api/v1.ts";
import type { BarRow } from "../lib/bars.ts";
import { percent, quantity } from "../lib/format.ts";
import { curve, lastOf, perSecond } from "../lib/live.ts";
import { shortName } from "../lib/names.ts";
import { plainAll } from "../lib/plain.ts";
import { Bar, Choice, Failure, Loading, Warnings } from "../parts/basics.tsx";
import { EditorPlace } from "../parts/place.tsx";
import { barFiles, property } from "../state/picture.ts";
import { change, link, param } from "../state/route.ts";
import { csv, save, sharing } from "../state/shell.ts";
import { t } from "../texts/index.ts";

/** What own lines of a running service cost now, refreshed after each window. */
export function Live(): JSX.Element {
  const target = param("target");
  const [state, set] = useState<State | null>(null);
  const [error, fail] = useState<unknown>(null);
  const [stopped, stop] = useState(false);
  const [count, again] = useState(0);
  useEffect(() => {
    if (stopped) return;
    fail(null);
    const source = new EventSource(address("/live", { target }));
    source.addEventListener("open", () => (online.value = true));
    source.addEventListener("state", (e) => set(plainAll(JSON.parse((e as MessageEvent<string>).data) as State)));
    source.addEventListener("failure", (e) => {
      source.close();
      const problem = plainAll(JSON.parse((e as MessageEvent<string>).data) as Problem);
      fail(new ProblemError(problem, problem.status));
    });
    source.onerror = () => {
      // The browser connects again, unless the server has refused.
      if (source.readyState === EventSource.CLOSED) fail(new Error(t("live.refused")));
      else online.value = false;
    };
    return () => source.close();
  }, [target, stopped, count]);
  useEffect(() => {
    document.title = `${target} · whet`;
    sharing.value = {
      command: ["whet", "top", "--live", target],
      files: state
        ? [
            { key: "share.csv", make: () => save("live.csv", csv(rows(state))) },
            {
              key: "share.json",
              make: () => save("live.json", new Blob([JSON.stringify(state, null, 2)], { type: "application/json" })),
            },
            ...barFiles("live", target, () => courses(state)),
          ]
        : [],
    };
  }, [target, state]);
  const bySum = param("by") === "sum";
  return (
    <div class="overview live-page">
      <div class="facts-block">
        <h1>{target}</h1>
        <Rates s={state} />
        <div class="live-tools">
          <Choice
            label={t("live.order")}
            value={bySum ? "sum" : "now"}
            options={[
              ["now", t("live.now")],
              ["sum", t("live.sum")],
            ]}
            pick={(v) => change({ by: v === "sum" ? v : undefined }, true)}
          />
          <button type="button" aria-pressed={stopped} onClick={() => stop(!stopped)}>
            {t(stopped ? "live.resume" : "live.stop")}
          </button>
          <a href={link("")}>{t("record.title")}</a>
        </div>
      </div>
      {error !== null && <Failure error={error} again={() => again((n) => n + 1)} />}
      {!state && error === null && <Loading />}
      {state && <Warnings list={state.warnings} />}
      {state && <Lines s={state} bySum={bySum} />}
    </div>
  );
}

function Rates({ s }: { s: State | null }): JSX.Element | null {
  const w = s?.windows?.at(-1);
  if (!s || !w) return null;
  if (w.error)
    return (
      <p class="trouble" role="status">
        {w.error} {w.hint && <span class="hint">{w.hint}</span>}
      </p>
    );
  return (
    <p class="quiet">
      {t("live.cpus", { n: (w.cpu_ns / Math.max(1, w.length_ns)).toFixed(2) })}
      {w.cpu_ns > 0 && ` · ${t("live.own", { share: percent(w.own_cpu_ns, w.cpu_ns) })}`}
      {w.alloc_bytes >= 0 &&
        ` · ${t("live.allocated", { size: quantity(perSecond(w.alloc_bytes, w.length_ns), "bytes") })}`}
      {` · ${t("live.since", { t: quantity(s.profiled_ns, "nanoseconds") })}`}
    </p>
  );
}

/** The course of the CPU time of each line. */
function courses(s: State): BarRow[] {
  return (s.lines ?? []).map((l) => ({
    name: shortName(l.function),
    note: `${l.path}:${l.line}`,
    value: l.cpu_sum_ns,
    text: quantity(l.cpu_sum_ns, "nanoseconds"),
    color: property("--k-own"),
    course: l.cpu_ns ?? [],
  }));
}

function rows(s: State): (string | number)[][] {
  return [
    ["function", "file", "line", "cpu_ns", "alloc_bytes"],
    ...(s.lines ?? []).map((l) => [l.function, l.file, l.line, l.cpu_sum_ns, l.alloc_sum_bytes]),
  ];
}

function Lines({ s, bySum }: { s: State; bySum: boolean }): JSX.Element {
  const w = s.windows?.at(-1);
  let lines: readonly LiveLine[] = s.lines ?? [];
  if (bySum) lines = [...lines].sort((a, b) => b.cpu_sum_ns - a.cpu_sum_ns || b.alloc_sum_bytes - a.alloc_sum_bytes);
  if (lines.length === 0) return <p class="quiet">{t(s.no_own ? "over.nolines" : "live.idle")}</p>;
  const allocs = s.alloc_bytes >= 0;
  const seconds = (s.windows ?? []).reduce((n, one) => n + one.length_ns, 0);
  const course = t("live.course", { t: quantity(seconds, "nanoseconds") });
  return (
    <div class="block scroll" role="region" aria-label={t("over.lines")} tabIndex={0}>
      <table class="plain-table live-table folds">
        <thead>
          <tr>
            <th scope="col" class="text">
              {t("diff.name")}
            </th>
            <th scope="col">{t("live.cpunow")}</th>
            <th scope="col" class="text">
              {course}
            </th>
            {allocs && <th scope="col">{t("live.allocnow")}</th>}
            <th scope="col">{t("live.cpusum")}</th>
            {allocs && <th scope="col">{t("live.allocsum")}</th>}
          </tr>
        </thead>
        <tbody>
          {lines.slice(0, 200).map((l) => {
            const now = w?.cpu_ns ? lastOf(l.cpu_ns) / w.cpu_ns : 0;
            return (
              <tr key={`${l.function} ${l.file}:${l.line}`}>
                <th scope="row" class="text">
                  <span class="row-name">{shortName(l.function)}</span>{" "}
                  <span class="row-place">
                    <EditorPlace file={l.file} line={l.line} text={`${l.path}:${l.line}`} own={false} />
                  </span>
                </th>
                <td data-name={t("live.cpunow")}>
                  {percent(now, 1)} <Bar share={now} />
                </td>
                <td class="text" data-name={course}>
                  <Spark values={l.cpu_ns ?? []} />
                </td>
                {allocs && (
                  <td data-name={t("live.allocnow")}>
                    {quantity(perSecond(lastOf(l.alloc_bytes), w?.length_ns ?? 0), "bytes")}/s
                  </td>
                )}
                <td data-name={t("live.cpusum")}>{quantity(l.cpu_sum_ns, "nanoseconds")}</td>
                {allocs && <td data-name={t("live.allocsum")}>{quantity(l.alloc_sum_bytes, "bytes")}</td>}
              </tr>
            );
          })}
        </tbody>
      </table>
      {s.hidden > 0 && <p class="quiet">{t("list.more", { n: s.hidden })}</p>}
    </div>
  );
}

const [width, height] = [150, 22];

/** The course of a cost, from 0 to its largest value. */
function Spark({ values }: { values: readonly number[] }): JSX.Element {
  return (
    <svg class="spark" viewBox={`0 0 ${width} ${height}`} width={width} height={height} aria-hidden="true">
      <polyline points={curve(values, 60, width, height)} />
    </svg>
  );
}
