import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { address, get } from "../api/client.ts";
import type { OverTime, TimeLine } from "../api/v1.ts";
import type { BarRow } from "../lib/bars.ts";
import { percent, quantity } from "../lib/format.ts";
import { curve } from "../lib/live.ts";
import { shortName } from "../lib/names.ts";
import { choicesOf, fullType } from "../lib/sampletype.ts";
import { Failure, Loading, Warnings } from "../parts/basics.tsx";
import { filterFlags, filterLinks, filterParams, Filters } from "../parts/filters.tsx";
import { EditorPlace } from "../parts/place.tsx";
import { aboutFile } from "../state/files.ts";
import { useLoad } from "../state/load.ts";
import { barFiles, property } from "../state/picture.ts";
import { change, file, link, param } from "../state/route.ts";
import { csv, save, sharing } from "../state/shell.ts";
import { t } from "../texts/index.ts";

/** What own lines cost in the recordings of one program, oldest first. */
export function Series(): JSX.Element {
  const name = file.value;
  const flags = ["type", "focus", "ignore", "hide"].flatMap((f) => (param(f) ? [`--${f}`, param(f)] : []));
  const about = useLoad(`about ${name}`, () => aboutFile(name));
  const choices = choicesOf(about.value);
  const type = fullType(param("type"), choices);
  const wanted = param("type") && type; // as far as the file has it
  // A label's frames are no lines.
  const query = { file: name, type: wanted, ...filterParams(), tagroot: undefined, n: 100 };
  const key = JSON.stringify(["over-time", query]);
  const doc = useLoad(key, (signal) => get<OverTime>("/over-time", query, signal));
  const d = doc.value;
  useEffect(() => {
    // The recordings that the lines are of.
    const others = (d?.points ?? []).map((p) => p.name).filter((n) => n !== name);
    sharing.value = {
      command: ["whet", "ui", "--view", "over-time", ...flags, name, ...others],
      files: [
        { key: "share.json", href: address("/over-time", query) },
        { key: "share.csv", make: () => (d ? save(`${name.split("/").at(-1)}.series.csv`, csv(rows(d))) : undefined) },
        ...(d ? barFiles(`${name.split("/").at(-1)}.series`, t("time.title"), () => courses(d)) : []),
      ],
    };
  }, [d, key]);
  return (
    <div class="overview over-time">
      <div class="facts-block">
        <h1>{t("time.title")}</h1>
        {d && <p class="quiet">{[d.program, d.sample_type.type].filter(Boolean).join(" · ")}</p>}
      </div>
      <div class="flame-bar" role="group" aria-label={t("flame.filters")}>
        {choices.length > 0 && (
          <select
            aria-label={t("flame.type")}
            value={type}
            onChange={(e) => change({ type: e.currentTarget.value })}
          >
            {choices.map((c) => (
              <option key={c.value} value={c.value}>
                {c.text}
              </option>
            ))}
          </select>
        )}
        <Filters />
      </div>
      {doc.error !== null && <Failure error={doc.error} again={doc.again} />}
      {!d && doc.error === null && <Loading />}
      {d && (
        <>
          <Warnings list={d.warnings} />
          {(d.points ?? []).length < 2 && <p class="quiet">{t("time.one")}</p>}
          {(d.lines ?? []).length > 0 ? (
            <Table d={d} />
          ) : (
            <p class="quiet">{t(filterFlags().length > 0 ? "flame.nothing" : "over.nolines")}</p>
          )}
        </>
      )}
    </div>
  );
}

/** The course of each line, with its share in the newest recording. */
function courses(d: OverTime): BarRow[] {
  return (d.lines ?? []).map((l) => ({
    name: shortName(l.function),
    note: `${l.path}:${lastLine(l)}${l.code ? ` · ${l.code}` : ""}`,
    value: l.share?.at(-1) ?? 0,
    text: percent(l.share?.at(-1) ?? 0, 1),
    color: property("--k-own"),
    course: l.share ?? [],
  }));
}

function rows(d: OverTime): (string | number)[][] {
  const points = d.points ?? [];
  return [
    ["function", "file", "code", ...points.map((p) => p.name)],
    ...(d.lines ?? []).map((l) => [l.function, l.path, l.code ?? "", ...(l.cost ?? [])]),
  ];
}

const [width, height] = [160, 24];

function Table({ d }: { d: OverTime }): JSX.Element {
  const points = d.points ?? [];
  const type = param("type");
  const unit = d.sample_type.unit;
  return (
    <div class="block scroll" role="region" aria-label={t("time.title")} tabIndex={0}>
      <table class="plain-table live-table">
        <thead>
          <tr>
            <th scope="col" class="text">
              {t("time.function")}
            </th>
            <th scope="col" class="text">
              {t("time.course")}
            </th>
            {points.map((p) => (
              <th scope="col" key={p.name} title={`${p.name} ${p.taken} ${quantity(p.total, unit)}`}>
                <a href={link("overview", { file: p.name })}>{p.name.split("/").at(-1)}</a>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {(d.lines ?? []).map((l) => (
            <tr key={`${l.function} ${l.path} ${l.code}`}>
              <th scope="row" class="text" title={l.code}>
                <span class="row-name">{shortName(l.function)}</span>{" "}
                <span class="row-place">
                  <EditorPlace file={l.path} line={lastLine(l)} />
                </span>
                {l.code && <code class="series-code">{l.code}</code>}
              </th>
              <td class="text">
                <svg class="spark" viewBox={`0 0 ${width} ${height}`} width={width} height={height} aria-hidden="true">
                  <polyline points={curve(scaled(l.share ?? []), Math.max(2, points.length), width, height)} />
                </svg>
              </td>
              {points.map((p, i) => {
                const share = l.share?.[i] ?? 0;
                if (share === 0) return <td key={p.name}>·</td>;
                const at = { file: p.name, type, ...filterLinks(), src: l.function, line: String(l.line?.[i] ?? "") };
                return (
                  <td key={p.name}>
                    <a href={link("flame", at)} title={t("time.cell", { share: percent(share, 1), name: p.name })}>
                      {percent(share, 1)}
                    </a>
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
      {d.hidden > 0 && <p class="quiet">{t("list.more", { n: d.hidden })}</p>}
    </div>
  );
}

/** Shares in millionths: the course is drawn from whole numbers. */
const scaled = (shares: readonly number[]) => shares.map((v) => Math.round(v * 1e6));

const lastLine = (l: TimeLine) => (l.line ?? []).filter((n) => n > 0).at(-1) ?? 0;
