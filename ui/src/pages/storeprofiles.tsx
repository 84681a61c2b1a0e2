import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { address, get } from "../api/client.ts";
import type { Profiles, StoreMeta } from "../api/v1.ts";
import { news } from "../lib/partial.ts";
import { storeName } from "../lib/selector.ts";
import { justAfter, timeText } from "../lib/storetime.ts";
import { number, span } from "../lib/when.ts";
import { Failure, Loading, Section, Warnings } from "../parts/basics.tsx";
import { exact, LabelList, Nothing, SelectionBar, SeriesList } from "../parts/selection.tsx";
import { compareLink } from "../parts/storecompare.tsx";
import { useLoad } from "../state/load.ts";
import { change, link, param } from "../state/route.ts";
import { csv, save, sharing } from "../state/shell.ts";
import { matchesNothing, request, selection, useStock, type Selection, type Stock } from "../state/stored.ts";
import { language, t } from "../texts/index.ts";
import "../style-store.css";

/** How many profiles are listed. */
const most = 500;

/** The single profiles that are selected, newest first. */
export function StoreProfiles(): JSX.Element {
  const stock = useStock();
  const s = selection(stock);
  useEffect(() => {
    document.title = `${t("store.single")} · whet`;
  }, [language.value]);
  return (
    <div class="overview store">
      <h1>{t("store.single")}</h1>
      <SelectionBar s={s} stock={stock} />
      {stock.error !== null && <Failure error={stock.error} again={stock.again} />}
      {!stock.value && stock.error === null && <Loading />}
      {stock.value && <List s={s} stock={stock} />}
    </div>
  );
}

function List({ s, stock }: { s: Selection; stock: Stock }): JSX.Element {
  const query = { ...request(s), n: most };
  const loaded = useLoad(JSON.stringify(["store profiles", query]), (signal) =>
    get<Profiles>("/store/profiles", query, signal),
  );
  const list = loaded.value?.profiles ?? [];
  const none = matchesNothing(loaded.error) || (loaded.error === null && loaded.value !== null && list.length === 0);
  useEffect(() => {
    sharing.value = {
      command: [
        ...["whet", "query", "profiles", s.query || "{}", "--type", s.kind, "--from", query.from, "--to", query.to],
        ...["--store", location.origin],
      ],
      files: [
        { key: "share.json", href: address("/store/profiles", query) },
        { key: "share.csv", make: () => save("profiles.csv", csv(rows(list))) },
      ],
    };
  }, [loaded.value, JSON.stringify(query)]);
  const marked = param("mark");
  const first = list.find((p) => p.id === marked);
  return (
    <>
      {loaded.error !== null && !none && <Failure error={loaded.error} again={loaded.again} />}
      {!loaded.value && loaded.error === null && <Loading />}
      {none && <Nothing s={s} stock={stock} />}
      {list.length > 0 && (
        <Section title={t("store.profiles")}>
          <Warnings list={news(loaded.value?.warnings, stock.value?.warnings)} />
          <p class="quiet">
            {list.length === most ? t("store.onlynewest", { n: number(most, language.value) }) : t("store.comparehint")}
          </p>
          <div class="scroll" role="region" aria-label={t("store.profiles")} tabIndex={0}>
            <table class="plain-table live-table folds">
              <thead>
                <tr>
                  <th scope="col" class="text">
                    {t("store.start")}
                  </th>
                  <th scope="col" class="text">
                    {t("store.service")}
                  </th>
                  <th scope="col" class="text">
                    {t("store.labels")}
                  </th>
                  <th scope="col">{t("record.duration")}</th>
                  <th scope="col">{t("store.samples")}</th>
                  <th scope="col" class="text">
                    {t("app.compare")}
                  </th>
                </tr>
              </thead>
              <tbody>
                {list.map((p) => (
                  <tr key={p.id}>
                    <th scope="row" class="text">
                      <a href={link("flame", { file: nameOf(p) })}>{timeText(p.start, language.value, true)}</a>
                    </th>
                    <td class="text" data-name={t("store.service")}>{p.service}</td>
                    <td class="text" data-name={t("store.labels")}>
                      <LabelList labels={p.labels} />
                    </td>
                    <td data-name={t("record.duration")}>{p.duration_ns > 0 ? span(p.duration_ns) : "–"}</td>
                    <td data-name={t("store.samples")}>{number(p.samples, language.value)}</td>
                    <td class="text" data-name={t("app.compare")}>
                      {first && first.id !== p.id ? (
                        <a href={compare(first, p)}>{t("store.withmarked")}</a>
                      ) : (
                        <button
                          type="button"
                          class="plain link"
                          aria-pressed={p.id === marked}
                          onClick={() => change({ mark: p.id === marked ? undefined : p.id }, true)}
                        >
                          {t(p.id === marked ? "store.unmark" : "store.mark")}
                        </button>
                      )}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </Section>
      )}
      <SeriesList s={s} stock={stock} />
    </>
  );
}

/** The file of one profile: its series, at the time when it began. */
function nameOf(p: StoreMeta): string {
  return storeName({ kind: p.kind, query: exact(p.service, p.labels), from: p.start, to: justAfter(p.start) });
}

/** The address of a comparison of two profiles, the older one first. */
function compare(a: StoreMeta, b: StoreMeta): string {
  const [older, newer] = Date.parse(a.start) <= Date.parse(b.start) ? [a, b] : [b, a];
  return compareLink(nameOf(older), nameOf(newer), "");
}

function rows(list: readonly StoreMeta[]): (string | number)[][] {
  return [
    ["start", "service", "kind", "labels", "duration_ns", "samples", "id"],
    ...list.map((p) => [p.start, p.service, p.kind, JSON.stringify(p.labels), p.duration_ns, p.samples, p.id]),
  ];
}
