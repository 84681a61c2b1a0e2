import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { get } from "../api/client.ts";
import type { Labels } from "../api/v1.ts";
import { labelOf, withLabel } from "../lib/selector.ts";
import { fieldTime, iso, moved, presets, timeText, wider, type Range } from "../lib/storetime.ts";
import { number } from "../lib/when.ts";
import { useLoad } from "../state/load.ts";
import { change } from "../state/route.ts";
import { now, wholeSecond, type Selection, type Stock } from "../state/stored.ts";
import { language, t } from "../texts/index.ts";
import { Choice, Section, Warnings } from "./basics.tsx";
import { SelectorField } from "./selector.tsx";

/** How many services are listed; others can be written into the selector. */
const mostServices = 1000;

/** Shows another range of time. */
export function showRange(r: Range): void {
  change({ from: iso(r.from), to: iso(r.to), since: undefined });
}

/** Shows what is stored by now. */
export function refresh(): void {
  now.value = wholeSecond();
}

/** Which profiles of the store a page is about: their service, type, labels and time. */
export function SelectionBar({ s, stock }: { s: Selection; stock: Stock }): JSX.Element {
  const services = useLoad(`store services ${now.value}`, (signal) =>
    get<Labels>("/store/labels", { name: "service" }, signal),
  );
  const service = labelOf(s.query, "service");
  const names = (services.value?.values ?? []).slice(0, mostServices);
  if (service && !names.includes(service)) names.unshift(service);
  const types = stock.value?.types ?? [];
  const kinds = types.map((x) => x.kind);
  if (!kinds.includes(s.kind)) kinds.unshift(s.kind);
  const type = types.find((x) => x.kind === s.kind);
  const samples = (type?.sample_types ?? []).map((x) => x.type);
  return (
    <>
      <div class="selection" role="group" aria-label={t("store.selection")}>
        <label>
          <span>{t("store.service")}</span>
          <select
            value={service}
            onChange={(e) => change({ query: withLabel(s.query, "service", e.currentTarget.value) })}
          >
            <option value="">{t("store.allservices")}</option>
            {names.map((n) => (
              <option key={n} value={n}>
                {n}
              </option>
            ))}
          </select>
        </label>
        <label>
          <span>{t("store.kind")}</span>
          <select value={s.kind} onChange={(e) => change({ kind: e.currentTarget.value, type: undefined })}>
            {kinds.map((k) => (
              <option key={k} value={k}>
                {k}
              </option>
            ))}
          </select>
        </label>
        {samples.length > 1 && (
          <label>
            <span>{t("flame.type")}</span>
            <select
              value={s.type || type?.default || samples.at(-1)!}
              onChange={(e) => change({ type: e.currentTarget.value })}
            >
              {samples.map((x) => (
                <option key={x} value={x}>
                  {x}
                </option>
              ))}
            </select>
          </label>
        )}
        <div class="selection-labels">
          <span aria-hidden="true">{t("store.labels")}</span>
          <SelectorField value={s.query} apply={(query) => change({ query })} />
        </div>
        <Times s={s} />
      </div>
      <Warnings list={[...(stock.value?.warnings ?? []), ...(services.value?.warnings ?? [])]} />
    </>
  );
}

/** The range of time. */
function Times({ s }: { s: Selection }): JSX.Element {
  const ends = `${timeText(s.range.from, language.value)} – ${timeText(s.range.to, language.value)}`;
  const arrow = (sign: string, text: string, to: Range) => (
    <button type="button" class="icon" title={text} aria-label={text} onClick={() => showRange(to)}>
      {sign}
    </button>
  );
  return (
    <div class="times">
      <Choice
        label={t("store.time")}
        value={s.since}
        options={Object.keys(presets).map((k) => [k, t("store.last", { t: k })] as const)}
        pick={(since) => {
          refresh();
          change({ since, from: undefined, to: undefined });
        }}
      />
      <div class="times-move">
        {arrow("‹", t("store.earlier"), moved(s.range, -0.5))}
        {arrow("›", t("store.later"), moved(s.range, 0.5))}
        {arrow("−", t("store.wider"), wider(s.range, now.value))}
        <button type="button" class="icon" title={t("store.refresh")} aria-label={t("store.refresh")} onClick={refresh}>
          ⟳
        </button>
      </div>
      <details class="times-other">
        <summary>{ends}</summary>
        <OtherTimes range={s.range} done={showRange} />
      </details>
    </div>
  );
}

/** Two fields for the ends of a range. */
export function OtherTimes({ range, done }: { range: Range; done: (r: Range) => void }): JSX.Element {
  const [from, setFrom] = useState(fieldTime(range.from));
  const [to, setTo] = useState(fieldTime(range.to));
  useEffect(() => {
    setFrom(fieldTime(range.from));
    setTo(fieldTime(range.to));
  }, [range.from, range.to]);
  const chosen = { from: Date.parse(from), to: Date.parse(to) };
  const field = (label: string, value: string, set: (v: string) => void) => (
    <label>
      <span>{label}</span>
      <input type="datetime-local" value={value} onInput={(e) => set(e.currentTarget.value)} />
    </label>
  );
  return (
    <form
      class="times-form"
      onSubmit={(e) => {
        e.preventDefault();
        if (chosen.from < chosen.to) done(chosen);
      }}
    >
      {field(t("store.from"), from, setFrom)}
      {field(t("store.to"), to, setTo)}
      <button type="submit" disabled={!(chosen.from < chosen.to)}>
        {t("store.show")}
      </button>
    </form>
  );
}

/** Says that nothing matches, and what to do about it. */
export function Nothing({ s, stock }: { s: Selection; stock: Stock }): JSX.Element {
  const of = (stock.value?.series ?? []).filter((x) => x.kind === s.kind);
  const last = of.map((x) => x.last).sort().at(-1);
  const selected = s.query !== "" || of.length === 0;
  return (
    <div class="empty">
      <p>{t("store.nothing")}</p>
      {last !== undefined && (
        <p class="hint">
          {t("store.newest", { t: timeText(last, language.value) })}{" "}
          <button
            type="button"
            onClick={() => {
              const end = Date.parse(last) + 1000;
              showRange({ from: end - presets["24h"]!, to: end });
            }}
          >
            {t("store.shownewest")}
          </button>
        </p>
      )}
      {last === undefined && selected && (stock.value?.series.length ?? 0) > 0 && (
        <p class="hint">
          {t("store.otherkinds")}{" "}
          {stock.value!.types.map((x) => (
            <button type="button" key={x.kind} onClick={() => change({ kind: x.kind, type: undefined })}>
              {x.kind}
            </button>
          ))}
        </p>
      )}
      {stock.value?.series.length === 0 && s.query !== "" && (
        <p class="hint">
          {t("store.nomatch")}{" "}
          <button type="button" onClick={() => change({ query: undefined })}>
            {t("store.selectall")}
          </button>
        </p>
      )}
      {stock.value?.series.length === 0 && s.query === "" && (
        <>
          <p class="hint">{t("store.empty")}</p>
          <p>
            <code>whet push cpu.pb.gz --service shop --store {location.origin}</code>
          </p>
          <p>
            <code>whet watch --config targets.yaml --store {location.origin}</code>
          </p>
        </>
      )}
    </div>
  );
}

/** How many series of labels are listed. */
const mostSeries = 200;

/** The series that are selected; a click selects one. */
export function SeriesList({ s, stock }: { s: Selection; stock: Stock }): JSX.Element | null {
  const all = (stock.value?.series ?? []).filter((x) => x.kind === s.kind);
  if (all.length === 0) return null;
  return (
    <Section title={t("store.series", { n: number(all.length, language.value) })}>
      <div class="scroll" role="region" aria-label={t("store.series", { n: all.length })} tabIndex={0}>
        <table class="plain-table folds">
          <thead>
            <tr>
              <th scope="col" class="text">
                {t("store.service")}
              </th>
              <th scope="col" class="text">
                {t("store.labels")}
              </th>
              <th scope="col">{t("store.profiles")}</th>
              <th scope="col" class="text">
                {t("store.newestcolumn")}
              </th>
            </tr>
          </thead>
          <tbody>
            {all.slice(0, mostSeries).map((x) => (
              <tr key={`${x.service} ${JSON.stringify(x.labels)}`}>
                <th scope="row" class="text">
                  <button
                    type="button"
                    class="plain link"
                    onClick={() => change({ query: exact(x.service, x.labels) })}
                  >
                    {x.service}
                  </button>
                </th>
                <td class="text" data-name={t("store.labels")}>
                  <LabelList labels={x.labels} />
                </td>
                <td data-name={t("store.profiles")}>{number(x.profiles, language.value)}</td>
                <td class="text" data-name={t("store.newestcolumn")}>
                  {timeText(x.last, language.value)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {all.length > mostSeries && <p class="quiet">{t("store.moreseries", { n: all.length - mostSeries })}</p>}
    </Section>
  );
}

/** A selector for one series. */
export function exact(service: string, labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels).reduce((q, [k, v]) => withLabel(q, k, v), withLabel("", "service", service));
}

/** Labels of a series. */
export function LabelList({ labels }: { labels: Readonly<Record<string, string>> }): JSX.Element {
  return (
    <span class="labels">
      {Object.entries(labels).map(([k, v]) => (
        <span class="label" key={k}>
          <span class="label-name">{k}=</span>
          {v}
        </span>
      ))}
    </span>
  );
}
