import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { address, get } from "../api/client.ts";
import type { Deploy, LineChange, Regressions, RegressionsChange, Shift } from "../api/v1.ts";
import { percent } from "../lib/format.ts";
import { shortName } from "../lib/names.ts";
import { news } from "../lib/partial.ts";
import { storeName, withLabel } from "../lib/selector.ts";
import { timeText } from "../lib/storetime.ts";
import { number, signed } from "../lib/when.ts";
import { Failure, Loading, Section, Warnings } from "../parts/basics.tsx";
import { EditorPlace } from "../parts/place.tsx";
import { Nothing, SelectionBar } from "../parts/selection.tsx";
import { compareLink } from "../parts/storecompare.tsx";
import { useLoad } from "../state/load.ts";
import { param } from "../state/route.ts";
import { csv, save, sharing } from "../state/shell.ts";
import { matchesNothing, request, selection, useStock, type Selection, type Stock } from "../state/stored.ts";
import { language, t, type Key } from "../texts/index.ts";
import "../style-store.css";

/** How many changes a list has at most. */
const most = 200;

/** What became more expensive in stored profiles, beyond noise. */
export function StoreRegressions(): JSX.Element {
  const stock = useStock();
  const s = selection(stock);
  useEffect(() => {
    document.title = `${t("store.regressions")} · whet`;
  }, [language.value]);
  return (
    <div class="overview store">
      <h1>{t("store.regressions")}</h1>
      <SelectionBar s={s} stock={stock} />
      {stock.error !== null && <Failure error={stock.error} again={stock.again} />}
      {!stock.value && stock.error === null && <Loading />}
      {stock.value && <Report s={s} stock={stock} />}
    </div>
  );
}

function Report({ s, stock }: { s: Selection; stock: Stock }): JSX.Element {
  const query = { ...request(s), sample_type: s.type, version: param("version"), instance: param("instance") };
  const { value, error, again, busy } = useLoad(JSON.stringify(["store regressions", query]), (signal) =>
    get<Regressions>("/store/regressions", query, signal),
  );
  useEffect(() => {
    sharing.value = {
      command: [
        ...["whet", "query", "regressions", s.query || "{}", "--type", s.type ? `${s.kind}:${s.type}` : s.kind],
        ...["--from", query.from, "--to", query.to, "--store", location.origin],
      ],
      files: [
        { key: "share.json", href: address("/store/regressions", query) },
        ...(value ? [{ key: "share.csv" as const, make: () => save("regressions.csv", csv(rows(value))) }] : []),
      ],
    };
  }, [value, JSON.stringify(query)]);
  if (error !== null)
    return matchesNothing(error) ? <Nothing s={s} stock={stock} /> : <Failure error={error} again={again} />;
  if (!value) return <Loading />;
  const lists: readonly (readonly [Key, readonly RegressionsChange[]])[] = [
    ["store.worse", value.regressions ?? []],
    ["store.better", value.improvements ?? []],
    ["store.gone", value.gone ?? []],
  ];
  return (
    <div class={busy ? "busy" : ""}>
      <p class="quiet">
        {t("store.tested", {
          n: number(value.tested, language.value),
          services: number(value.services?.length ?? 0, language.value),
          deploys: number((value.services ?? []).reduce((n, x) => n + (x.deploys?.length ?? 0), 0), language.value),
          q: percent(value.q, 1),
        })}
      </p>
      <Warnings list={news(value.warnings, stock.value?.warnings)} />
      {lists.map(
        ([key, list]) =>
          (list.length > 0 || key === "store.worse") && (
            <Section title={t(key)} key={key}>
              {list.length === 0 ? (
                <p class="quiet">{t("store.noregressions")}</p>
              ) : (
                <Table list={list} d={value} s={s} title={t(key)} />
              )}
            </Section>
          ),
      )}
      {(value.shifts ?? []).length > 0 && (
        <Section title={t("store.shifts")}>
          <Shifts list={value.shifts!} />
        </Section>
      )}
    </div>
  );
}

function Table(props: {
  list: readonly RegressionsChange[];
  d: Regressions;
  s: Selection;
  title: string;
}): JSX.Element {
  const { list, d, s } = props;
  return (
    <div class="scroll" role="region" aria-label={props.title} tabIndex={0}>
      <table class="plain-table live-table regressions folds">
        <thead>
          <tr>
            <th scope="col" class="text">
              {t("diff.name")}
            </th>
            <th scope="col">{t("diff.before")}</th>
            <th scope="col">{t("diff.after")}</th>
            <th scope="col">{t("diff.absolute")}</th>
            <th scope="col" class="text">
              {t("store.since")}
            </th>
            <th scope="col" class="text">
              {t("app.compare")}
            </th>
          </tr>
        </thead>
        <tbody>
          {list.slice(0, most).map((c) => (
            <tr key={`${c.service} ${c.function} ${c.at}`}>
              <th scope="row" class="text">
                <span class="row-name" title={c.function}>
                  {shortName(c.function)}
                </span>{" "}
                <span class="row-place">
                  {c.service}
                  {c.file && (
                    <>
                      {" · "}
                      <EditorPlace file={c.file} text={c.file.split("/").slice(-2).join("/")} own={false} />
                    </>
                  )}
                </span>
                {(c.lines ?? []).slice(0, 3).map((l) => (
                  <LineOf key={`${l.line_before} ${l.line_after}`} l={l} />
                ))}
              </th>
              <td data-name={t("diff.before")}>{percent(c.before, 1)}</td>
              <td data-name={t("diff.after")}>{percent(c.after, 1)}</td>
              <td class={c.change > 0 ? "worse" : "better"} data-name={t("diff.absolute")}>
                <div>
                  {points(c.change)}
                  {c.before > 0 && ` (${signed(c.relative)})`}
                  <span class="row-place">
                    {points(c.low)} … {points(c.high)}
                  </span>
                </div>
              </td>
              <td class="text" data-name={t("store.since")}>
                <div>
                  <When deploy={c.deploy} at={c.at} />
                </div>
              </td>
              <td class="text" data-name={t("app.compare")}>
                <a href={compareOf(c, d, s)}>
                  {t("app.compare")}
                  <span class="offscreen"> {shortName(c.function)}</span>
                </a>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {list.length > most && <p class="quiet">{t("list.more", { n: list.length - most })}</p>}
    </div>
  );
}

/** A difference of shares, in percentage points: "+1.20%". */
function points(v: number): string {
  return `${v > 0 ? "+" : ""}${percent(v, 1)}`;
}

function LineOf({ l }: { l: LineChange }): JSX.Element {
  const at = [l.line_before, l.line_after].filter((n, i, all) => n && n !== all[1 - i]).join(" → ");
  return (
    <span class="row-place regression-line">
      {t("store.line", { n: at || String(l.line_after ?? "") })} {points(l.change)}
      {l.code && <code class="series-code">{l.code}</code>}
    </span>
  );
}

/** When something changed: at a deploy, with its commits, or at another time. */
function When({ deploy, at }: { deploy: Deploy | null | undefined; at: string }): JSX.Element {
  const commits = deploy?.commits ?? [];
  return (
    <>
      {deploy && (
        <span class="deploy">
          {deploy.label} {short(deploy.before)} → <b>{short(deploy.after)}</b>
        </span>
      )}
      <span class="row-place">{timeText(at, language.value)}</span>
      {commits.length > 0 && (
        <details>
          <summary>{t("store.commits", { n: number(commits.length + (deploy?.more ?? 0), language.value) })}</summary>
          <ul class="commit-list">
            {commits.map((c) => (
              <li key={c.hash}>
                <code>{c.hash.slice(0, 10)}</code> {c.subject}
              </li>
            ))}
          </ul>
          {(deploy?.more ?? 0) > 0 && <p class="quiet">{t("list.more", { n: deploy!.more! })}</p>}
        </details>
      )}
    </>
  );
}

/** A version; a build ID or revision by its begin. */
function short(version: string): string {
  return version.length > 24 ? `${version.slice(0, 12)}…` : version;
}

/** Compares the builds of a deploy, or the time before a change with that since. */
function compareOf(c: RegressionsChange, d: Regressions, s: Selection): string {
  const query = withLabel(s.query, "service", c.service);
  const of = (q: string, from: string, to: string) => storeName({ kind: d.kind, query: q, from, to });
  const label = c.deploy && /^\w+$/.test(c.deploy.label) && c.deploy.before && c.deploy.after ? c.deploy.label : "";
  if (label)
    return compareLink(
      of(withLabel(query, label, c.deploy!.before), d.from, d.to),
      of(withLabel(query, label, c.deploy!.after), d.from, d.to),
      d.type.type,
    );
  return compareLink(of(query, d.from, c.at), of(query, c.at, d.to), d.type.type);
}

function Shifts({ list }: { list: readonly Shift[] }): JSX.Element {
  return (
    <ul class="shift-list">
      {list.slice(0, most).map((x) => (
        <li key={`${x.service} ${x.to.function} ${x.at}`}>
          <span class="row-name">{shortName(x.to.function)}</span> {points(x.to.change)} ←{" "}
          {(x.from ?? []).map((f) => `${shortName(f.function)} ${points(f.change)}`).join(", ")}
          <span class="row-place">
            {x.service} · {timeText(x.at, language.value)} ·{" "}
            {t("store.net", { v: points(x.net), low: points(x.low), high: points(x.high) })}
          </span>
        </li>
      ))}
    </ul>
  );
}

function rows(d: Regressions): (string | number)[][] {
  const of = (verdict: string, list: readonly RegressionsChange[] | null) =>
    (list ?? []).map((c) => [
      ...[verdict, c.service, c.function, c.file ?? "", c.before, c.after, c.change, c.low, c.high, c.adjusted_p, c.at],
      ...[c.deploy?.before ?? "", c.deploy?.after ?? ""],
    ]);
  return [
    ["verdict", "service", "function", "file", "before", "after", "change", "low", "high", "q", "at", "from", "to"],
    ...of("worse", d.regressions),
    ...of("better", d.improvements),
    ...of("gone", d.gone),
  ];
}
