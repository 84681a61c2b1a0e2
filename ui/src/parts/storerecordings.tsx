import type { JSX } from "preact";
import { address, get } from "../api/client.ts";
import type { Recordings } from "../api/v1.ts";
import { quantity } from "../lib/format.ts";
import { timeText } from "../lib/storetime.ts";
import { number, span } from "../lib/when.ts";
import { files } from "../state/files.ts";
import { useLoad } from "../state/load.ts";
import { link } from "../state/route.ts";
import { request, type Selection } from "../state/stored.ts";
import { language, t } from "../texts/index.ts";
import { Failure, Section, Warnings } from "./basics.tsx";
import { LabelList } from "./selection.tsx";

/** How many recordings are listed. */
const most = 50;

/** The whole recordings in the time that is selected, which open in all views. */
export function StoreRecordings({ s }: { s: Selection }): JSX.Element | null {
  return files.value?.recordings ? <Table s={s} /> : null;
}

function Table({ s }: { s: Selection }): JSX.Element | null {
  const { query, from, to } = request(s);
  const wanted = { query, from, to, n: most };
  const loaded = useLoad(JSON.stringify(["store recordings", wanted]), (signal) =>
    get<Recordings>("/store/recordings", wanted, signal),
  );
  const list = loaded.value?.recordings ?? [];
  if (loaded.error !== null) return <Failure error={loaded.error} again={loaded.again} />;
  if (list.length === 0) return null;
  return (
    <Section title={t("store.recordings")}>
      <Warnings list={loaded.value?.warnings} />
      <p class="quiet">
        {list.length === most
          ? t("store.morerecordings", { n: number(most, language.value) })
          : t("store.recordingsabout")}
      </p>
      <div class="scroll" role="region" aria-label={t("store.recordings")} tabIndex={0}>
        <table class="plain-table store-recordings">
          <thead>
            <tr>
              <th scope="col" class="text">
                {t("store.start")}
              </th>
              <th scope="col" class="text">
                {t("store.service")}
              </th>
              <th scope="col" class="text">
                {t("store.why")}
              </th>
              <th scope="col" class="text">
                {t("store.labels")}
              </th>
              <th scope="col">{t("store.length")}</th>
              <th scope="col">{t("store.size")}</th>
              <th scope="col" class="text">
                {t("store.open")}
              </th>
            </tr>
          </thead>
          <tbody>
            {list.map((r) => {
              const start = timeText(r.start, language.value, true);
              return (
                <tr key={r.id}>
                  <th scope="row" class="text">
                    <a href={link("overview", { file: `stored/${r.id}.whet` })}>{start}</a>
                  </th>
                  <td class="text">{r.service}</td>
                  <td class="text">{r.about}</td>
                  <td class="text">
                    <LabelList labels={r.labels} />
                  </td>
                  <td>{r.duration_ns > 0 ? span(r.duration_ns) : "–"}</td>
                  <td>{quantity(r.size, "bytes")}</td>
                  <td class="text">
                    <a href={address("/store/recording", { id: r.id })} download={`${r.id}.whet`}>
                      {t("store.download")}
                      <span class="offscreen"> {start}</span>
                    </a>
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </Section>
  );
}
