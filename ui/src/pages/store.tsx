import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { address, get } from "../api/client.ts";
import type { LineSeries, Timeline } from "../api/v1.ts";
import { Plot, type Chart } from "../draw/chart.ts";
import { percent, quantity } from "../lib/format.ts";
import { parts, sum } from "../lib/layers.ts";
import { curve } from "../lib/live.ts";
import { shortName } from "../lib/names.ts";
import { news } from "../lib/partial.ts";
import { labelOf, storeName } from "../lib/selector.ts";
import { aligned, goDuration, iso, length, stepFor, tickText, timeText, timeTicks } from "../lib/storetime.ts";
import { number } from "../lib/when.ts";
import { Bar, Choice, Failure, Loading, Section, Warnings } from "../parts/basics.tsx";
import { EditorPlace } from "../parts/place.tsx";
import { Nothing, refresh, SelectionBar, SeriesList, showRange } from "../parts/selection.tsx";
import { StoreCompare } from "../parts/storecompare.tsx";
import { StoreRecordings } from "../parts/storerecordings.tsx";
import { useLoad } from "../state/load.ts";
import { change, go, link, param } from "../state/route.ts";
import { csv, save, shade, sharing, viewCommands, viewKeys } from "../state/shell.ts";
import { matchesNothing, request, selection, useStock, type Selection, type Stock } from "../state/stored.ts";
import { language, t } from "../texts/index.ts";
import "uplot/dist/uPlot.min.css";
import "../style-chart.css";
import "../style-store.css";

/** How many columns of time a chart has at most. */
const columns = 96;

/** How many lines are drawn; the table has more. */
const drawn = 6;

const colors = ["--series-1", "--series-2", "--series-3", "--series-4", "--series-5", "--series-6"];

/** The most expensive own lines of stored profiles over time. */
export function StoreView(): JSX.Element {
  const stock = useStock();
  const s = selection(stock);
  const title = labelOf(s.query, "service");
  useEffect(() => {
    document.title = `${title || t("store.title")} · whet`;
    viewKeys.value = [
      ["r", "store.refresh"],
      ["← →", "help.points"],
      ["Shift ← →", "store.selectkeys"],
    ];
    const key = (e: KeyboardEvent) => {
      if (e.ctrlKey || e.metaKey || e.altKey || e.key !== "r") return;
      if (e.target instanceof Element && e.target.matches("input, select, textarea")) return;
      refresh();
    };
    document.addEventListener("keydown", key);
    return () => document.removeEventListener("keydown", key);
  }, [title, language.value]);
  return (
    <div class="overview store">
      <h1>{title ? t("store.titleof", { name: title }) : t("store.title")}</h1>
      <SelectionBar s={s} stock={stock} />
      {stock.error !== null && <Failure error={stock.error} again={stock.again} />}
      {!stock.value && stock.error === null && <Loading />}
      {stock.value && <Lines s={s} stock={stock} />}
    </div>
  );
}

function Lines({ s, stock }: { s: Selection; stock: Stock }): JSX.Element {
  const step = stepFor(s.range, columns);
  const range = aligned(s.range, step);
  const n = Number(param("n")) || 20;
  const query = { ...request(s, range), sample_type: s.type, step: goDuration(step), n };
  const loaded = useLoad(JSON.stringify(["store timeline", query]), (signal) =>
    get<Timeline>("/store/timeline", query, signal),
  );
  const d = loaded.error === null ? loaded.value : null;
  useEffect(() => {
    const type = s.type ? `${s.kind}:${s.type}` : s.kind;
    const words = ["--type", type, "--from", query.from, "--to", query.to, "--step", query.step, "-n", String(n)];
    sharing.value = {
      command: ["whet", "query", "timeline", s.query || "{}", ...words, "--store", location.origin],
      files: [
        { key: "share.json", href: address("/store/timeline", query) },
        ...(d ? [{ key: "share.csv" as const, make: () => save("lines-over-time.csv", csv(rows(d))) }] : []),
        { key: "share.pprof", href: address("/store/merge", request(s)) },
      ],
    };
    viewCommands.value = (d?.lines ?? []).map((l) => ({
      kind: "function" as const,
      text: shortName(l.function),
      more: `${l.file.split("/").at(-1)}:${l.line}`,
      run: () => go(sourceLink(s, l)),
    }));
  }, [d, JSON.stringify(query)]);
  return (
    <>
      {loaded.error !== null &&
        (matchesNothing(loaded.error) ? (
          <Nothing s={s} stock={stock} />
        ) : (
          <Failure error={loaded.error} again={loaded.again} />
        ))}
      {!loaded.value && loaded.error === null && <Loading />}
      {d && (
        <div class={loaded.busy ? "busy" : ""}>
          <Warnings list={news(d.warnings, stock.value?.warnings)} />
          <LineChart d={d} s={s} step={step} n={n} />
          <LineTable d={d} s={s} />
        </div>
      )}
      {loaded.value && <StoreCompare s={s} />}
      <StoreRecordings s={s} />
      <SeriesList s={s} stock={stock} />
    </>
  );
}

/** The file of what is selected. */
function fileOf(s: Selection): string {
  return storeName({ kind: s.kind, query: s.query, from: iso(s.range.from), to: iso(s.range.to) });
}

function sourceLink(s: Selection, l: LineSeries): string {
  return link("flame", { file: fileOf(s), type: s.type, src: l.function, line: `${l.file}:${l.line}` });
}

function rows(d: Timeline): (string | number)[][] {
  const at = (i: number) => iso(Date.parse(d.from) + (i * d.step_ns) / 1e6);
  return [
    ["function", "file", "line", "total", ...(d.totals ?? []).map((_, i) => at(i))],
    ["", "", "", sum(d.totals ?? []), ...(d.totals ?? [])],
    ...(d.lines ?? []).map((l) => [l.function, l.file, l.line, l.total, ...(l.values ?? [])]),
  ];
}

/** The cost of a step, as a share or in the profile's unit. */
function valueText(v: number, share: boolean, unit: string): string {
  return share ? percent(v, 1) : quantity(v, unit);
}

function LineChart({ d, s, step, n }: { d: Timeline; s: Selection; step: number; n: number }): JSX.Element {
  const share = param("as") !== "cost";
  const areas = param("chart") !== "lines";
  const unit = d.type.unit;
  const totals = d.totals ?? [];
  const from = Date.parse(d.from);
  const range = { from, to: from + totals.length * step };
  const lines = (d.lines ?? []).slice(0, drawn);
  const [reading, setReading] = useState("");
  const [heard, hear] = useState("");
  const chart = useMemo((): Chart => {
    const values = lines.map((l) => parts(l.values ?? [], totals, share));
    const series = lines.map((l, i) => ({ name: shortName(l.function), color: colors[i]! }));
    // The last column ends where the next one would begin.
    const xs = [...totals.map((_, i) => from + i * step), range.to];
    const clock = (ms: number) => tickText(ms, range, language.value);
    return {
      title: t("store.chart"),
      // An area of one column is as wide as the column if 0 follows, and has no width before a gap.
      columns: [xs, ...values.map((v) => [...v, v.at(-1) ?? null].map((x) => x ?? (areas ? 0 : null)))],
      series: series.map((x) => ({ ...x, kind: areas ? ("area" as const) : ("line" as const) })),
      x: { label: "", log: false, text: clock, splits: timeTicks(range, 8) },
      y: { label: "", log: false, text: (v) => (share ? `${Math.round(v * 100)}%` : quantity(v, unit)) },
      read: (i) => {
        if (i === null) {
          setReading("");
          return "";
        }
        const at = Math.min(i, totals.length - 1);
        const costs = series.map((x, k) => {
          const v = values[k]?.[at];
          return `${x.name} ${v === null || v === undefined ? "–" : valueText(v, share, unit)}`;
        });
        const text = `${clock(from + at * step)} – ${clock(from + (at + 1) * step)}: ${
          totals[at] ? costs.join(" · ") : t("store.noprofiles")
        }`;
        setReading(text);
        return text;
      },
      select: (a, b) => showRange({ from: Math.round(a / 1000) * 1000, to: Math.round(b / 1000) * 1000 }),
    };
  }, [d, share, areas, language.value]);
  const file = fileOf(s);
  const open = { file, type: s.type };
  return (
    <Section
      title={t("store.over", { n: lines.length })}
      aside={
        <div class="chart-tools">
          <Choice
            label={t("store.chart")}
            value={areas ? "stacked" : "lines"}
            options={[
              ["stacked", t("store.stacked")],
              ["lines", t("store.lines")],
            ]}
            pick={(v) => change({ chart: v === "lines" ? v : undefined }, true)}
          />
          <Choice
            label={t("store.values")}
            value={share ? "share" : "cost"}
            options={[
              ["share", t("store.share")],
              ["cost", t("store.cost")],
            ]}
            pick={(v) => change({ as: v === "cost" ? v : undefined }, true)}
          />
          <Choice
            label={t("store.count")}
            value={String(n)}
            options={(["10", "20", "50"] as const).map((v) => [v, v] as const)}
            pick={(v) => change({ n: v === "20" ? undefined : v }, true)}
          />
        </div>
      }
    >
      <p class="quiet">
        {t("store.read", {
          profiles: number(d.stats.profiles, language.value),
          from: timeText(d.stats.first, language.value),
          to: timeText(d.stats.last, language.value),
          step: length(step),
        })}
      </p>
      <div class="chart">
        <Picture chart={chart} about={t("store.charthelp")} say={hear} />
      </div>
      <p class="reading">{reading || t("store.charthint")}</p>
      <p class="live" aria-live="polite">
        {heard}
      </p>
      <p class="chart-links">
        <span class="quiet">{t("store.merged")}</span>{" "}
        <a href={link("overview", open)}>{t("app.overview")}</a>
        <a href={link("flame", open)}>{t("app.flame")}</a>
        <a href={link("graph", open)}>{t("app.graph")}</a>
      </p>
    </Section>
  );
}

/** A chart in the page. */
function Picture({ chart, about, say }: { chart: Chart; about: string; say: (text: string) => void }): JSX.Element {
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const plot = new Plot(ref.current!, chart, say);
    return () => plot.end();
  }, [chart, shade.value]);
  return <div class="plot" ref={ref} tabIndex={0} role="img" aria-label={`${chart.title}. ${about}`} />;
}

const [width, height] = [120, 22];

function LineTable({ d, s }: { d: Timeline; s: Selection }): JSX.Element {
  const total = sum(d.totals ?? []);
  const lines = d.lines ?? [];
  if (lines.length === 0) return <p class="quiet">{t("over.nolines")}</p>;
  const file = fileOf(s);
  const measured = (d.totals ?? []).filter((v) => v !== 0).length;
  return (
    <div class="block scroll" role="region" aria-label={t("over.lines")} tabIndex={0}>
      <table class="plain-table live-table store-lines">
        <thead>
          <tr>
            <th scope="col">#</th>
            <th scope="col" class="text">
              {t("time.function")}
            </th>
            <th scope="col">{t("store.share")}</th>
            <th scope="col">{t("store.cost")}</th>
            <th scope="col" class="text">
              {t("time.course")}
            </th>
            <th scope="col" class="text">
              {t("store.open")}
            </th>
          </tr>
        </thead>
        <tbody>
          {lines.map((l, i) => {
            const pattern = `^${l.function.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")}$`;
            return (
              <tr key={`${l.function} ${l.file}:${l.line}`}>
                <td>
                  {i < drawn && <span class={`swatch swatch-${i + 1}`} aria-hidden="true" />}
                  {i + 1}
                </td>
                <th scope="row" class="text" title={`${l.function} ${l.file}:${l.line}`}>
                  <a class="row-name" href={sourceLink(s, l)}>
                    {shortName(l.function)}
                  </a>{" "}
                  <span class="row-place">
                    <EditorPlace
                      file={l.file}
                      line={l.line}
                      text={`${l.file.split("/").slice(-2).join("/")}:${l.line}`}
                      own={false}
                    />
                  </span>
                </th>
                <td>
                  {percent(l.total, total)} <Bar share={total > 0 ? l.total / total : 0} />
                </td>
                <td>{quantity(l.total, d.type.unit)}</td>
                <td class="text">
                  <Course points={curve(course(l, d.totals ?? []), Math.max(2, measured), width, height)} />
                </td>
                <td class="text">
                  <a href={link("graph", { file, type: s.type, focus: pattern })}>
                    {t("app.graph")}
                    <span class="offscreen"> {shortName(l.function)}</span>
                  </a>
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

function Course({ points }: { points: string }): JSX.Element {
  return (
    <svg class="spark" viewBox={`0 0 ${width} ${height}`} width={width} height={height} aria-hidden="true">
      <polyline points={points} />
    </svg>
  );
}

/** The shares of a line in millionths, where there are profiles: the course is drawn from whole numbers. */
function course(l: LineSeries, totals: readonly number[]): number[] {
  return parts(l.values ?? [], totals, true).flatMap((v) => (v === null ? [] : [Math.round(v * 1e6)]));
}
