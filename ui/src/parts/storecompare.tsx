import type { JSX } from "preact";
import { get } from "../api/client.ts";
import type { Labels } from "../api/v1.ts";
import { labelOf, storeName, withLabel } from "../lib/selector.ts";
import { before, iso, rangeOf, timeText, type Range } from "../lib/storetime.ts";
import { useLoad } from "../state/load.ts";
import { change, link, param } from "../state/route.ts";
import { now, type Selection } from "../state/stored.ts";
import { language, t, type Key } from "../texts/index.ts";
import { Choice, Section } from "./basics.tsx";
import { OtherTimes } from "./selection.tsx";

const ranges: readonly (readonly [string, Key, number])[] = [
  ["previous", "store.previous", 0],
  ["day", "store.daybefore", 86_400_000],
  ["week", "store.weekbefore", 7 * 86_400_000],
  ["other", "store.other", 0],
];

/** How many values of a label are listed. */
const most = 1000;

/** Compares what is selected with another range of time, or two values of a label. */
export function StoreCompare({ s }: { s: Selection }): JSX.Element {
  const labels = param("by") === "label";
  return (
    <Section
      title={t("app.compare")}
      class="store-compare"
      aside={
        <Choice
          label={t("store.compareby")}
          value={labels ? "label" : "time"}
          options={[
            ["time", t("store.bytime")],
            ["label", t("store.bylabel")],
          ]}
          pick={(v) => change({ by: v === "label" ? v : undefined }, true)}
        />
      }
    >
      {labels ? <ByLabel s={s} /> : <ByTime s={s} />}
    </Section>
  );
}

function named(s: Selection, query: string, r: Range): string {
  return storeName({ kind: s.kind, query, from: iso(r.from), to: iso(r.to) });
}

function ByTime({ s }: { s: Selection }): JSX.Element {
  const chosen = ranges.find(([k]) => k === param("with")) ?? ranges[0]!;
  const base =
    chosen[0] === "other" && param("bfrom")
      ? rangeOf("", param("bfrom"), param("bto"), now.value)
      : before(s.range, chosen[2] || undefined);
  const text = (r: Range) => `${timeText(r.from, language.value)} – ${timeText(r.to, language.value)}`;
  return (
    <div class="compare-form">
      <label>
        <span>{t("diff.before")}</span>
        <select value={chosen[0]} onChange={(e) => change({ with: e.currentTarget.value }, true)}>
          {ranges.map(([k, key]) => (
            <option key={k} value={k}>
              {t(key)}
            </option>
          ))}
        </select>
      </label>
      {chosen[0] === "other" && (
        <OtherTimes range={base} done={(r) => change({ bfrom: iso(r.from), bto: iso(r.to) }, true)} />
      )}
      <p class="quiet">
        {t("diff.before")}: {text(base)}
        <br />
        {t("diff.after")}: {text(s.range)}
      </p>
      <a class="button" href={compareLink(named(s, s.query, base), named(s, s.query, s.range), s.type)}>
        {t("app.compare")}
      </a>
    </div>
  );
}

function ByLabel({ s }: { s: Selection }): JSX.Element {
  const service = labelOf(s.query, "service");
  const of = { query: service ? withLabel("", "service", service) : "", kind: s.kind };
  const names = useLoad(JSON.stringify(["store labels", of, now.value]), (signal) =>
    get<Labels>("/store/labels", of, signal),
  );
  const all = (names.value?.values ?? []).filter((n) => n !== "kind");
  const versions = ["version", "service_version", "build_id", "vcs_revision"];
  const usual = versions.find((v) => all.includes(v)) || all.find((n) => n !== "service") || all[0];
  const label = param("label") || usual || "";
  const values = useLoad(JSON.stringify(["store values", of, label, now.value]), async (signal) =>
    label ? get<Labels>("/store/labels", { ...of, name: label }, signal) : null,
  );
  const list = (values.value?.values ?? []).slice(0, most);
  const a = param("a") || list.at(-2) || "";
  const b = param("b") || list.at(-1) || "";
  const choose = (text: string, name: string, value: string, options: readonly string[]) => (
    <label>
      <span>{text}</span>
      <select value={value} onChange={(e) => change({ [name]: e.currentTarget.value }, true)}>
        {(options.includes(value) ? options : [value, ...options]).map((v) => (
          <option key={v} value={v}>
            {v}
          </option>
        ))}
      </select>
    </label>
  );
  if (names.value && all.length === 0) return <p class="quiet">{t("store.nolabels")}</p>;
  return (
    <div class="compare-form">
      <label>
        <span>{t("store.label")}</span>
        <select
          value={label}
          onChange={(e) => change({ label: e.currentTarget.value, a: undefined, b: undefined }, true)}
        >
          {(all.includes(label) ? all : [label, ...all]).map((n) => (
            <option key={n} value={n}>
              {n}
            </option>
          ))}
        </select>
      </label>
      {choose(t("diff.before"), "a", a, list)}
      {choose(t("diff.after"), "b", b, list)}
      {a !== "" && b !== "" && a !== b ? (
        <a
          class="button"
          href={compareLink(
            named(s, withLabel(s.query, label, a), s.range),
            named(s, withLabel(s.query, label, b), s.range),
            s.type,
          )}
        >
          {t("app.compare")}
        </a>
      ) : (
        <p class="quiet">{t("store.twovalues")}</p>
      )}
    </div>
  );
}

/** The address of a comparison of two selections. */
export function compareLink(base: string, file: string, type: string): string {
  return link("compare", { file, base, type });
}
