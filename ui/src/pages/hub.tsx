import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { address, get, post } from "../api/client.ts";
import type { Added, OverTime, Overview, OverviewLine, TimeLine, WorkbenchFile } from "../api/v1.ts";
import { percent } from "../lib/format.ts";
import { shortName } from "../lib/names.ts";
import { outcomes } from "../lib/outcomes.ts";
import { ago, number, span } from "../lib/when.ts";
import { Failure, Loading, More } from "../parts/basics.tsx";
import { RecordPanel } from "../parts/record.tsx";
import { fileLink } from "../parts/shell.tsx";
import { aboutFile, files, filesError, watchFiles } from "../state/files.ts";
import { change, go, link, param } from "../state/route.ts";
import { csv, save, say, sharing } from "../state/shell.ts";
import { language, t, type Key } from "../texts/index.ts";

type Item = NonNullable<NonNullable<typeof files.value>["files"]>[number];

/** How many rows are drawn at first, and with each step towards the end of the list. */
const step = 40;

/** The files of the directories that the server was started with. */
export function Hub(): JSX.Element {
  const [picked, pick] = useState<readonly string[]>([]);
  const [shown, setShown] = useState(step);
  const list = files.value;
  const kind = param("kind");
  const query = param("q").toLowerCase();
  const all = list?.files ?? [];
  const kinds = [...new Set(all.map((f) => f.kind))];
  const found = all.filter((f) => (!kind || f.kind === kind) && f.name.toLowerCase().includes(query));
  useEffect(() => {
    const targets = (list?.targets ?? []).flatMap((x) => ["--target", x]);
    const loads = (list?.loads ?? []).flatMap((x) => ["--load", x]);
    sharing.value = {
      command: ["whet", "ui", ...targets, ...loads, ...(list?.roots ?? [])],
      files: [
        { key: "share.json", href: address("/files") },
        { key: "share.csv", make: () => save("files.csv", csv(rows(found))) },
      ],
    };
  }, [list, kind, query]);
  const togglePick = (name: string) =>
    pick((p) => (p.includes(name) ? p.filter((n) => n !== name) : [...p, name].slice(-2)));
  const pair = all.filter((f) => picked.includes(f.name));
  // Recordings have loads, too.
  const view = pair.every((f) => views(f).includes("compare"))
    ? "compare"
    : pair.every((f) => views(f).includes("load"))
      ? "load"
      : pair.every((f) => views(f).includes("bench"))
        ? "bench"
        : "";
  const comparable = pair.length === 2 && view !== "";
  const compare = () => {
    // The newer one is what changed.
    const [newer, older] = pair;
    if (newer && older) go(link(view, { file: newer.name, base: older.name }));
  };
  return (
    <Drop>
      <div class="hub">
        <div class="hub-main">
          <div class="hub-bar">
            <h1>{t("hub.title")}</h1>
            <input
              type="search"
              placeholder={t("hub.filter")}
              aria-label={t("hub.filter")}
              value={param("q")}
              onInput={(e) => change({ q: e.currentTarget.value }, true)}
            />
            {kinds.length > 1 && (
              <div class="choice" role="group" aria-label={t("hub.what")}>
                {["", ...kinds].map((k) => (
                  <button type="button" key={k} aria-pressed={k === kind} onClick={() => change({ kind: k }, true)}>
                    {k === "" ? t("hub.all") : t(`hub.kind.${k}` as Key)}
                  </button>
                ))}
              </div>
            )}
            <button type="button" class="primary" disabled={!comparable} onClick={compare}>
              {comparable ? t("hub.compare") : t("hub.compare.pick")}
            </button>
          </div>
          {!list && filesError.value === null && <Loading />}
          {!list && filesError.value !== null && <Failure error={filesError.value} again={() => void watchFiles()} />}
          {list && all.length === 0 && (
            <div class="empty">
              <p>{t("hub.empty")}</p>
              <p class="hint">{t("hub.emptyhint")}</p>
            </div>
          )}
          <ul class="hub-list">
            {found.slice(0, shown).map((f) => (
              <Row key={f.name} f={f} all={all} picked={picked.includes(f.name)} pick={() => togglePick(f.name)} />
            ))}
          </ul>
          {found.length > shown && <More reveal={() => setShown((n) => n + step)} />}
          {list && !list.complete && <p class="quiet">{t("hub.more", { n: all.length })}</p>}
        </div>
        <RecordPanel />
      </div>
    </Drop>
  );
}

/** The views that show a file next to another one. */
function views(f: Item): readonly string[] {
  if (f.kind === "recording") return ["compare", "load"];
  return f.kind === "profile" ? ["compare"] : f.kind === "load" || f.kind === "bench" ? [f.kind] : [];
}

function rows(list: readonly Item[]): (string | number)[][] {
  return [
    ["name", "kind", "bytes", "created", "modified"],
    ...list.map((f) => [f.name, f.kind, f.bytes, f.created ?? "", f.modified]),
  ];
}

function Row({
  f,
  all,
  picked,
  pick,
}: {
  f: Item;
  all: readonly Item[];
  picked: boolean;
  pick: () => void;
}): JSX.Element {
  const ref = useRef<HTMLLIElement>(null);
  const near = useNear(ref);
  const [about, setAbout] = useState<WorkbenchFile | null>(null);
  const [hot, setHot] = useState<Overview | null>(null);
  const [error, fail] = useState<unknown>(null);
  // Comparisons of benchmarks are not compared.
  const pickable = f.kind === "bench" ? about?.result?.comparable === true : views(f).length > 0;
  useEffect(() => {
    if (!near) return;
    let gone = false;
    fail(null);
    aboutFile(f.name).then(
      (a) => !gone && setAbout(a),
      (e: unknown) => !gone && fail(e),
    );
    if (views(f).includes("compare"))
      hottest(f).then(
        (o) => !gone && setHot(o),
        (e: unknown) => !gone && fail(e),
      );
    return () => {
      gone = true;
    };
  }, [near, f.name, f.modified, f.bytes]);
  const lines = hot?.lines?.slice(0, 3) ?? [];
  const at = f.name.lastIndexOf("/");
  const when = f.created ?? f.modified; // as the list is sorted
  return (
    <li class={`hub-row ${picked ? "picked" : ""}`} ref={ref}>
      {pickable ? (
        <input type="checkbox" aria-label={t("hub.pick", { name: f.name })} checked={picked} onChange={pick} />
      ) : (
        <span class="hub-nopick" />
      )}
      <div class="hub-about">
        <a class="hub-name" href={fileLink(f.name, f.kind)}>
          {at >= 0 && <span class="hub-dir">{f.name.slice(0, at + 1)}</span>}
          {f.name.slice(at + 1)}
        </a>
        <p class="hub-facts">
          <time dateTime={when} title={new Date(when).toLocaleString(language.value)}>
            {ago(when, language.value)}
          </time>
          <Facts f={f} about={about} />
        </p>
      </div>
      <div class="hub-hot">
        {error !== null ? (
          <Failure error={error} />
        ) : (
          lines.map((l) => <HotLine key={`${l.file}:${l.line}`} l={l} f={f} all={all} />)
        )}
        {hot && lines.length === 0 && <span class="quiet">{t("hub.noown")}</span>}
      </div>
    </li>
  );
}

function Facts({ f, about }: { f: Item; about: WorkbenchFile | null }): JSX.Element {
  const facts: string[] = [];
  const meta = about?.meta;
  if (f.kind !== "recording" && f.kind !== "profile") facts.push(t(`hub.one.${f.kind}` as Key));
  if (f.dropped) facts.push(t("hub.dropped"));
  const r = about?.result;
  if (r?.outcome) {
    const known = outcomes.get(r.outcome);
    facts.push(known ? t(known.text) : r.outcome);
  }
  if (r?.tried) facts.push(t("fixes.head", { kept: r.kept ?? 0, all: r.tried }));
  if (r?.of) facts.push(r.of);
  if (r?.sides?.length) facts.push(r.sides.join(" → "));
  if (r?.benchmarks) facts.push(t("hub.benchmarks", { n: r.benchmarks }));
  if (r?.commits) facts.push(t("hub.commits", { n: r.commits }));
  if (r?.commit) facts.push(r.commit.slice(0, 12));
  if (r?.findings) {
    const { rewrites, review, others } = r.findings;
    facts.push(t("hub.findings", { n: rewrites + review + others }));
    if (rewrites > 0) facts.push(t("hub.rewrites", { n: rewrites }));
    if (review > 0) facts.push(t("hub.review", { n: review }));
  }
  if (about?.target) facts.push(about.target);
  if (meta?.duration_ns) facts.push(span(meta.duration_ns));
  if (meta?.go_version) facts.push(meta.go_version);
  const load = about?.load;
  if (load) {
    facts.push(t("hub.rate", { n: number(load.rate, language.value) }));
    if (load.latency.p99_ns) facts.push(t("hub.p99", { t: span(load.latency.p99_ns) }));
    const failed = load.requests - (load.status?.["200"] ?? load.requests);
    if (failed > 0 && load.errors && sum(load.errors) > 0)
      facts.push(t("hub.failed", { n: number(sum(load.errors), language.value) }));
  }
  return (
    <>
      {facts.map((x) => (
        <span key={x} class="hub-fact" title={x}>
          {x}
        </span>
      ))}
    </>
  );
}

function sum(errors: object): number {
  return Object.values(errors).reduce((n: number, v: unknown) => n + (typeof v === "number" ? v : 0), 0);
}

const summaries = new Map<string, Promise<Overview>>();

/** The hottest lines of a file, once for each state of it. */
function hottest(f: Item): Promise<Overview> {
  const key = `${f.name}\n${f.bytes}\n${f.modified}`;
  let found = summaries.get(key);
  if (!found) {
    found = get<Overview>("/overview", { file: f.name, brief: true, n: 3 });
    found.catch(() => summaries.delete(key));
    summaries.set(key, found);
  }
  return found;
}

function HotLine({ l, f, all }: { l: OverviewLine; f: Item; all: readonly Item[] }): JSX.Element {
  const trend = useTrend(l, f, all);
  return (
    <a
      class="hot-line"
      href={link("flame", { file: f.name, src: l.function, line: String(l.line) })}
      title={`${l.function} ${l.path}:${l.line}\n${l.code ?? ""}`}
    >
      <span class="hot-share">{percent(l.share, 1)}</span>
      <span class="bar" aria-hidden="true">
        <span class="bar-fill k-own" style={{ width: `${Math.min(1, Math.max(0, l.share)) * 100}%` }} />
      </span>
      <span class="hot-name">
        {shortName(l.function)}
        <span class="hot-at">:{l.line}</span>
      </span>
      {trend.length > 1 && <Spark values={trend} />}
    </a>
  );
}

/** How many recordings a trend has at most, and how many lines are fetched, so that the hottest of each are there. */
const trendFiles = 12;
const trendLines = 500;

/** The lines over time of a program, once for each state of the list, by a file of its recordings. */
const courses = new Map<string, OverTime>();
let coursesOf: readonly Item[] = [];
let asking: Promise<unknown> = Promise.resolve();

/** The lines over time that a file is part of. One question after the other: one answer is often that of the next. */
function courseOf(f: Item, all: readonly Item[]): Promise<OverTime | null> {
  if (coursesOf !== all) {
    courses.clear();
    coursesOf = all;
  }
  const found = asking.then(async () => {
    const known = courses.get(f.name);
    if (known || coursesOf !== all) return known ?? null;
    const doc = await get<OverTime>("/over-time", { file: f.name, n: trendLines });
    for (const p of doc.points ?? []) courses.set(p.name, doc);
    return doc;
  });
  asking = found.catch(() => null);
  return found;
}

/** The line of a recording in a course: of the same function, at that place in that recording. */
function lineIn(d: OverTime, l: OverviewLine, at: number): TimeLine | undefined {
  return (d.lines ?? []).find((x) => x.function === l.function && x.line?.[at] === l.line);
}

/** The share of a line in the recordings of the same program up to this one, oldest first. */
function useTrend(l: OverviewLine, f: Item, all: readonly Item[]): readonly number[] {
  const [trend, set] = useState<readonly number[]>([]);
  useEffect(() => {
    let gone = false;
    courseOf(f, all).then(
      (d) => {
        if (gone || !d) return;
        const at = (d.points ?? []).findIndex((p) => p.name === f.name);
        const shares = lineIn(d, l, at)?.share?.slice(Math.max(0, at + 1 - trendFiles), at + 1);
        set(shares ?? []);
      },
      () => undefined, // the line is there without its trend
    );
    return () => {
      gone = true;
    };
  }, [all, f.name, l.function, l.line]);
  return trend;
}

/** A small line of values. */
export function Spark({ values }: { values: readonly number[] }): JSX.Element {
  const width = 64;
  const height = 16;
  const most = Math.max(...values, 1e-9);
  const x = (i: number) => 2 + (i / Math.max(1, values.length - 1)) * (width - 4);
  const y = (v: number) => height - 2 - (v / most) * (height - 4);
  const points = values.map((v, i) => `${x(i).toFixed(1)},${y(v).toFixed(1)}`).join(" ");
  const last = points.split(" ").at(-1)!.split(",");
  const text = t("hub.trend", { list: values.map((v) => percent(v, 1)).join(", ") });
  return (
    <svg class="spark" viewBox={`0 0 ${width} ${height}`} width={width} height={height} role="img" aria-label={text}>
      <title>{text}</title>
      <polyline points={points} />
      <circle cx={last[0]} cy={last[1]} r="2" />
    </svg>
  );
}

/** Whether an element has come near the window. */
function useNear(ref: { current: Element | null }): boolean {
  const [near, set] = useState(false);
  useEffect(() => {
    if (near || !ref.current) return;
    const seen = new IntersectionObserver((e) => e.some((x) => x.isIntersecting) && set(true), { rootMargin: "300px" });
    seen.observe(ref.current);
    return () => seen.disconnect();
  }, [near]);
  return near;
}

/** Takes files that are dropped on the page. */
function Drop({ children }: { children: JSX.Element }): JSX.Element {
  const [over, setOver] = useState(false);
  const [error, fail] = useState<unknown>(null);
  const input = useRef<HTMLInputElement>(null);
  const add = async (list: FileList | null | undefined) => {
    setOver(false);
    fail(null);
    let last = "";
    for (const f of list ?? []) {
      say(t("hub.adding", { name: f.name }));
      try {
        last = (await post<Added>("/files", f, { name: f.name })).name;
      } catch (err) {
        fail(err);
      }
    }
    await watchFiles();
    if (!last || list?.length !== 1) return;
    const kind = files.value?.files?.find((f) => f.name === last)?.kind;
    go(kind ? fileLink(last, kind) : link("overview", { file: last }));
  };
  return (
    <div
      class={`drop ${over ? "over" : ""}`}
      onDragOver={(e) => {
        if (!e.dataTransfer?.types.includes("Files")) return;
        e.preventDefault();
        setOver(true);
      }}
      onDragLeave={(e) => e.currentTarget === e.target && setOver(false)}
      onDrop={(e) => {
        e.preventDefault();
        void add(e.dataTransfer?.files);
      }}
    >
      {children}
      <div class="drop-bar">
        <button type="button" onClick={() => input.current?.click()}>
          {t("hub.add")}
        </button>
        <span class="quiet">{t("hub.drop")}</span>
        <input
          ref={input}
          type="file"
          multiple
          hidden
          aria-label={t("hub.add")}
          onChange={(e) => void add(e.currentTarget.files)}
        />
        {error !== null && <Failure error={error} />}
      </div>
    </div>
  );
}
