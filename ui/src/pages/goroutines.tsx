import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { address, get, isSaved } from "../api/client.ts";
import type { Frame, Report, ReportCreator, ReportGroup } from "../api/v1.ts";
import type { BarRow } from "../lib/bars.ts";
import { percent } from "../lib/format.ts";
import { shortName } from "../lib/names.ts";
import { exactly } from "../lib/search.ts";
import { number, span } from "../lib/when.ts";
import { Bar, Failure, Loading, Section, Warnings } from "../parts/basics.tsx";
import { EditorPlace } from "../parts/place.tsx";
import { aboutFile, pprofOf } from "../state/files.ts";
import { useLoad } from "../state/load.ts";
import { barFiles, property } from "../state/picture.ts";
import { change, file, link, param } from "../state/route.ts";
import { csv, save, sharing } from "../state/shell.ts";
import { language, t } from "../texts/index.ts";

/** How many groups and creators are drawn at first, and with each step. */
const step = 60;

/** What the goroutines of a recording wait for, and who started them. */
export function Goroutines(): JSX.Element {
  const name = file.value;
  const focus = param("focus");
  const reason = param("reason");
  const doc = useLoad(`goroutines ${name} ${focus}`, (signal) =>
    get<Report>("/goroutines", { file: name, focus }, signal),
  );
  const about = useLoad(`about ${name}`, () => aboutFile(name));
  const d = doc.value;
  useEffect(() => {
    sharing.value = {
      command: [
        ...["whet", "goroutines", ...(focus ? ["--focus", focus] : [])],
        ...(reason ? ["--reason", reason] : []),
        name,
      ],
      files: [
        { key: "share.json", href: address("/goroutines", { file: name, focus }) },
        { key: "share.csv", make: () => save(`${name.split("/").at(-1)}.csv`, csv(rows(d?.groups ?? []))) },
        ...(d ? barFiles(`${name.split("/").at(-1)}.goroutines`, t("go.total", { n: d.total }), () => bars(d)) : []),
        ...pprofOf(about.value, name, ["goroutine"], focus !== "" || reason !== ""),
      ],
    };
  }, [d, name, reason, about.value]);
  return (
    <div class="overview goroutines">
      {doc.error !== null && <Failure error={doc.error} again={doc.again} />}
      {!d && doc.error === null && <Loading />}
      {d && <Document d={d} focus={focus} traced={about.value?.trace === true} />}
    </div>
  );
}

function Document({ d, focus, traced }: { d: Report; focus: string; traced: boolean }): JSX.Element {
  const groups = d.groups ?? [];
  const reason = param("reason");
  const shown = groups.filter((g) => reason === "" || (g.reason || "?") === reason);
  const n = (v: number) => number(v, language.value);
  const before = d.earlier_total ?? 0;
  const src = param("src") || param("box"); // of the view before
  return (
    <>
      <div class="facts-block">
        <h1>{t("go.total", { n: n(d.total) })}</h1>
        <p class="quiet">
          {[
            d.kind,
            d.earlier && t("go.since", { change: signed(d.total - before), n: n(before) }),
            d.trace_duration_ns && t("go.trace", { t: span(d.trace_duration_ns) }),
            d.filtered > 0 && t("go.filtered", { n: n(d.filtered) }),
          ]
            .filter(Boolean)
            .join(" · ")}
        </p>
      </div>
      <Warnings list={d.warnings} />
      <Section
        title={t("go.reasons")}
        aside={
          <>
            {src && focus !== exactly(src) && !isSaved() && (
              <button type="button" title={src} onClick={() => change({ focus: exactly(src) })}>
                {t("go.only", { name: shortName(src) })}
              </button>
            )}
            <input
              class="wide-search"
              type="search"
              placeholder={t("go.focus")}
              aria-label={t("go.focus")}
              value={focus}
              onChange={(e) => change({ focus: e.currentTarget.value }, true)}
            />
          </>
        }
      >
        <Reasons groups={groups} />
        {d.hidden > 0 && <p class="quiet">{t("go.hidden", { n: n(d.left), groups: n(d.hidden) })}</p>}
      </Section>
      <Section title={t("go.groups")}>
        <Groups key={`${reason} ${focus}`} groups={shown} earlier={Boolean(d.earlier)} traced={traced} />
      </Section>
      <Section title={t("go.creators")}>
        <Creators creators={d.creators ?? []} earlier={Boolean(d.earlier)} />
      </Section>
    </>
  );
}

function rows(groups: readonly ReportGroup[]): (string | number)[][] {
  return [
    ["count", "change", "waits for", "longest wait (ns)", "own line", "creator", "verdict"],
    ...groups.map((g) => [
      g.count,
      g.delta ?? 0,
      g.reason ?? "",
      g.wait_ns ?? 0,
      g.own ? `${g.own.name} ${g.own.file ?? ""}:${g.own.line ?? 0}` : "",
      g.creator?.name ?? "",
      g.verdict ?? "",
    ]),
  ];
}

/** The groups as bars, the largest first. */
function bars(d: Report): BarRow[] {
  const groups = (d.groups ?? []).filter((g) => g.count > 0).sort((a, b) => b.count - a.count);
  return groups.map((g) => {
    const at = g.own ?? g.stack?.at(-1);
    return {
      name: at ? `${shortName(at.name)}${at.line ? `:${at.line}` : ""}` : t("go.nostack"),
      note: g.reason || t("go.unknown"),
      value: g.count,
      text: number(g.count, language.value),
      color: property(g.verdict ? "--bad" : g.own ? "--k-own" : "--k-other"),
    };
  });
}

function signed(n: number): string {
  return n > 0 ? `+${n}` : n < 0 ? `−${-n}` : "±0";
}

/** How many goroutines wait for what; a button shows only those. */
function Reasons({ groups }: { groups: readonly ReportGroup[] }): JSX.Element {
  const sums = new Map<string, number>();
  for (const g of groups) sums.set(g.reason || "?", (sums.get(g.reason || "?") ?? 0) + g.count);
  const all = [...sums].filter(([, v]) => v > 0).sort((a, b) => b[1] - a[1]);
  const total = all.reduce((n, [, v]) => n + v, 0);
  const chosen = param("reason");
  return (
    <ul class="reasons">
      {all.map(([r, v]) => (
        <li key={r}>
          <button
            type="button"
            aria-pressed={chosen === r}
            onClick={() => change({ reason: chosen === r ? undefined : r })}
          >
            <Bar share={v / Math.max(total, 1)} kind="scheduler" />
            <b>{number(v, language.value)}</b>
            <span>{r === "?" ? t("go.unknown") : r}</span>
            <span class="reason-share">{percent(v, total)}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}

function Groups(props: { groups: readonly ReportGroup[]; earlier: boolean; traced: boolean }): JSX.Element {
  const { groups, ...rest } = props;
  const [most, setMost] = useState(step);
  return (
    <>
      <ol class="group-list">
        {groups.slice(0, most).map((g, i) => (
          <Group key={i} g={g} {...rest} />
        ))}
      </ol>
      <More left={groups.length - most} show={() => setMost(most + step)} />
    </>
  );
}

function More({ left, show }: { left: number; show: () => void }): JSX.Element | null {
  if (left <= 0) return null;
  return (
    <button type="button" onClick={show}>
      {t("go.more", { n: number(left, language.value) })}
    </button>
  );
}

function Group({ g, earlier, traced }: { g: ReportGroup; earlier: boolean; traced: boolean }): JSX.Element {
  const stack = g.stack ?? [];
  // The outermost frame identifies a library's goroutine better than the one in which it waits.
  const place = g.own ?? stack.at(-1);
  const first = stack.at(-1)?.name;
  return (
    <li class="group">
      <div class="group-count">
        <b>{number(g.count, language.value)}</b>
        {earlier && <span class={`delta ${(g.delta ?? 0) > 0 ? "grew" : ""}`}>{signed(g.delta ?? 0)}</span>}
      </div>
      <div class="group-about">
        <p>
          {g.verdict && (
            <span class={`badge badge-${g.verdict}`}>{t(`go.verdict.${g.verdict as "leak" | "suspect"}`)}</span>
          )}{" "}
          {g.reason || t("go.unknown")}
          {g.wait_ns ? (
            <span class="quiet">
              {" "}
              {t(g.wait_at_least ? "go.waitleast" : "go.wait", { t: span(g.wait_ns) })}
            </span>
          ) : null}
        </p>
        {place ? <Place f={place} own={Boolean(g.own)} /> : <p class="quiet">{t("go.nostack")}</p>}
        {g.creator && (
          <p class="quiet">
            {t("go.by")} <FrameText f={g.creator} />
            {g.creator_from === "name" && ` (${t("go.byname")})`}
          </p>
        )}
        {traced && first && !isSaved() && (
          <p class="quiet">
            <a href={link("timeline", { file: file.value, src: first })}>{t("go.trace.link")}</a>
          </p>
        )}
        {g.why && <p class="group-why">{g.why}</p>}
        {stack.length > 1 && (
          <details>
            <summary>{t("go.stack", { n: stack.length })}</summary>
            <ol class="group-stack">
              {stack.map((f, i) => (
                <li key={i}>
                  <FrameText f={f} />
                </li>
              ))}
            </ol>
          </details>
        )}
      </div>
    </li>
  );
}

function FrameText({ f }: { f: Frame }): JSX.Element {
  return (
    <>
      <code title={f.name}>{shortName(f.name)}</code>{" "}
      {f.file && (
        <span class="frame-at">
          <EditorPlace file={f.file} line={f.line} own={false} />
        </span>
      )}
    </>
  );
}

/** Where a group waits: the own line, with its source a click away. */
function Place({ f, own }: { f: Frame; own: boolean }): JSX.Element {
  const to = link("flame", { file: file.value, type: "goroutine", src: f.name, line: f.line ? String(f.line) : "" });
  return (
    <p class={own ? "group-own" : ""}>
      <a href={to} title={f.name}>
        {shortName(f.name)}
      </a>{" "}
      {f.file && (
        <span class="frame-at">
          <EditorPlace file={f.file} line={f.line} own={own} />
        </span>
      )}
    </p>
  );
}

function Creators({ creators, earlier }: { creators: readonly ReportCreator[]; earlier: boolean }): JSX.Element {
  const [most, setMost] = useState(step);
  return (
    <>
      <div class="scroll" role="region" aria-label={t("go.creators")} tabIndex={0}>
        <table class="plain-table">
          <thead>
            <tr>
              <th scope="col">{t("go.creator")}</th>
              <th scope="col">{t("go.count")}</th>
              {earlier && <th scope="col">{t("go.change")}</th>}
              <th scope="col">{t("go.stacks")}</th>
            </tr>
          </thead>
          <tbody>
            {creators.slice(0, most).map((c, i) => (
              <tr key={i}>
                <th scope="row" class={c.own ? "group-own" : ""}>
                  {c.creator ? <FrameText f={c.creator} /> : t("go.nocreator")}
                </th>
                <td>{number(c.count, language.value)}</td>
                {earlier && <td>{signed(c.delta ?? 0)}</td>}
                <td>{number(c.groups, language.value)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <More left={creators.length - most} show={() => setMost(most + step)} />
    </>
  );
}
