import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { address, get } from "../api/client.ts";
import type { Member, Status, TargetState } from "../api/v1.ts";
import { percent } from "../lib/format.ts";
import { length, profiledShare } from "../lib/storetime.ts";
import { ago, number, span } from "../lib/when.ts";
import { Choice, Failure, Loading, Section, Warnings } from "../parts/basics.tsx";
import { exact, LabelList } from "../parts/selection.tsx";
import { useLoad } from "../state/load.ts";
import { change, link, param } from "../state/route.ts";
import { csv, save, sharing } from "../state/shell.ts";
import { language, t, type Key } from "../texts/index.ts";
import "../style-store.css";

/** How many targets are listed. */
const most = 500;

/** How often the states are read again, in milliseconds. */
const interval = 5000;

const order = ["down", "waiting", "up", "away"];

/** What is scraped into the store, and the state of each target. */
export function StoreTargets(): JSX.Element {
  const { value, error, again } = useLoad("store targets", (signal) => get<Status>("/store/targets", {}, signal));
  useEffect(() => {
    document.title = `${t("store.targets")} · whet`;
  }, [language.value]);
  useEffect(() => {
    const timer = setInterval(() => !document.hidden && again(), interval);
    return () => clearInterval(timer);
  }, []);
  const all = value?.targets ?? [];
  useEffect(() => {
    sharing.value = {
      files: [
        { key: "share.json", href: address("/store/targets") },
        { key: "share.csv", make: () => save("targets.csv", csv(rows(all))) },
      ],
    };
  }, [value]);
  const state = param("state");
  const words = param("q").toLowerCase();
  const counts = order
    .map((x) => [x, all.filter((one) => one.state === x).length] as const)
    .filter(([x, n]) => x !== "away" || n > 0); // only if several processes share targets
  const found = all
    .filter((x) => !state || x.state === state)
    .filter((x) => `${x.target} ${x.job} ${x.service} ${x.owner ?? ""}`.toLowerCase().includes(words))
    .sort((a, b) => order.indexOf(a.state) - order.indexOf(b.state));
  return (
    <div class="overview store">
      <h1>{t("store.targets")}</h1>
      {error !== null && <Failure error={error} again={again} />}
      {!value && error === null && <Loading />}
      {value && all.length === 0 && (
        <div class="empty">
          <p>{t("store.notargets")}</p>
          <p class="hint">{t("store.notargetshint")}</p>
          <p>
            <code>whet serve --store profiles --scrape targets.yaml</code>
          </p>
        </div>
      )}
      {value && <Warnings list={value.warnings} />}
      {value && all.length > 0 && (
        <>
          <div class="target-bar">
            <Choice
              label={t("store.state")}
              value={state}
              options={[
                ["", `${t("hub.all")} ${number(all.length, language.value)}`],
                ...counts.map(([k, n]) => [k, `${t(`store.is.${k}` as Key)} ${number(n, language.value)}`] as const),
              ]}
              pick={(v) => change({ state: v }, true)}
            />
            <input
              type="search"
              placeholder={t("hub.filter")}
              aria-label={t("hub.filter")}
              value={param("q")}
              onInput={(e) => change({ q: e.currentTarget.value }, true)}
            />
            <p class="quiet">
              {t("store.counts", {
                stored: number(value.profiles.stored, language.value),
                waiting: number(value.profiles.waiting, language.value),
                dropped: number(value.profiles.dropped, language.value),
                refused: number(value.profiles.refused, language.value),
              })}
            </p>
          </div>
          {(value.members ?? []).length > 0 && <Members list={value.members!} />}
          <Section title={t("store.targets")}>
            <Table list={found} />
            {found.length > most && <p class="quiet">{t("store.moretargets", { n: found.length - most })}</p>}
          </Section>
        </>
      )}
    </div>
  );
}

/** The processes that share targets: a click shows those of one. */
function Members({ list }: { list: readonly Member[] }): JSX.Element {
  return (
    <Section title={t("store.members", { n: number(list.length, language.value) })}>
      <ul class="member-list">
        {list.map((m) => (
          <li key={`${m.group} ${m.member}`}>
            <button type="button" class="plain link" onClick={() => change({ q: m.member, state: undefined }, true)}>
              {m.member}
            </button>{" "}
            <span class="row-place">
              {m.left_ns > 0
                ? t("store.member", { group: m.group, n: number(m.targets, language.value) })
                : t("store.gonemember", { group: m.group })}
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Table({ list }: { list: readonly TargetState[] }): JSX.Element {
  const now = Date.now();
  return (
    <div class="scroll" role="region" aria-label={t("store.targets")} tabIndex={0}>
      <table class="plain-table live-table targets folds">
        <thead>
          <tr>
            <th scope="col" class="text">
              {t("record.target")}
            </th>
            <th scope="col" class="text">
              {t("store.state")}
            </th>
            <th scope="col" class="text">
              {t("store.lastscrape")}
            </th>
            <th scope="col" class="text">
              {t("store.nextscrape")}
            </th>
            <th scope="col" title={t("store.overheadtitle")}>
              {t("store.overhead")}
            </th>
            <th scope="col">{t("store.profiles")}</th>
            <th scope="col">{t("store.missed")}</th>
          </tr>
        </thead>
        <tbody>
          {list.slice(0, most).map((x) => {
            const share = profiledShare(x.took_ns ?? 0, x.last ?? "", x.next ?? "");
            return (
              <tr key={`${x.job} ${x.service} ${x.target} ${JSON.stringify(x.labels)}`}>
                <th scope="row" class="text">
                  <a class="row-name" href={link("store", { query: exact(x.service, x.labels) })}>
                    {x.target}
                  </a>
                  <span class="row-place">
                    {x.job} · {x.service}
                  </span>
                  {x.owner && <span class="row-place">{t("store.owner", { name: x.owner })}</span>}
                  <LabelList labels={x.labels} />
                </th>
                <td class="text" data-name={t("store.state")}>
                  <div>
                    <span class={`state state-${x.state}`}>{t(`store.is.${x.state}` as Key)}</span>
                    {(x.failures ?? 0) > 0 && <span class="row-place">{t("store.failures", { n: x.failures! })}</span>}
                    {x.error && <span class="target-error">{x.error}</span>}
                  </div>
                </td>
                <td class="text" data-name={t("store.lastscrape")}>
                  <div>
                    {x.last ? ago(x.last, language.value) : "–"}
                    {x.took_ns ? <span class="row-place">{t("store.took", { t: span(x.took_ns) })}</span> : null}
                  </div>
                </td>
                <td class="text" data-name={t("store.nextscrape")}>
                  {x.next ? t("store.in", { t: length(Math.max(0, Date.parse(x.next) - now)) }) : "–"}
                </td>
                <td data-name={t("store.overhead")}>{share === null ? "–" : percent(share, 1)}</td>
                <td data-name={t("store.profiles")}>{number(x.profiles, language.value)}</td>
                <td data-name={t("store.missed")}>{number(x.missed ?? 0, language.value)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

function rows(list: readonly TargetState[]): (string | number)[][] {
  return [
    [
      ...["job", "service", "target", "labels", "state", "error", "last", "next"],
      ...["took_ns", "scrapes", "missed", "profiles", "owner"],
    ],
    ...list.map((x) => [
      ...[x.job, x.service, x.target, JSON.stringify(x.labels), x.state, x.error ?? "", x.last ?? "", x.next ?? ""],
      ...[x.took_ns ?? 0, x.scrapes, x.missed ?? 0, x.profiles, x.owner ?? ""],
    ]),
  ];
}
