import { address, get, getBytes, getText } from "../api/client.ts";
import type { RowInfo, SpanAnswer, State, Trace } from "../api/timeline.ts";
import { hexColors, viewPng } from "../draw/raster.ts";
import { Inks, kindInk } from "../draw/timeline.ts";
import { editorAddress } from "../lib/editor.ts";
import { laneData } from "../lib/lane.ts";
import { lanesSvg, type Lane } from "../lib/lanes.ts";
import { rawName } from "../lib/rawname.ts";
import { exactly } from "../lib/search.ts";
import { colorOf } from "../lib/states.ts";
import { SvgPen } from "../lib/svg.ts";
import { fromTimelineHash, sectionTypes, timelineHash } from "../lib/timelinehash.ts";
import { timelineCells, timelineRows, type TimelineRow } from "../lib/timelinetable.ts";
import { within, type Stretch } from "../lib/timescale.ts";
import { reason } from "../parts/basics.tsx";
import { property } from "../state/picture.ts";
import { ServerSource } from "../state/timelinesource.ts";
import { files } from "../state/files.ts";
import { file, link, param } from "../state/route.ts";
import { csv, save, say, sharing } from "../state/shell.ts";
import { language } from "../texts/index.ts";
import { timelineTexts } from "../texts/timeline.ts";
import type { Help } from "../views/pagehelp.ts";
import { startTimeline } from "../views/timeline.ts";
import type { FrameLinks } from "../views/timelinedetails.ts";
import "../style-timeline.css";
import "../style-document.css";

/** How many rows of a type are saved at most, and how fine their time is added up. */
const mostRows = 1000;
const width = 2000;

/** The window that the link has; all without one. */
function shown(source: ServerSource): Stretch {
  const { window } = fromTimelineHash(location.hash);
  return window ? within(window, source.extent) : source.extent;
}

/** How many rows of a type a picture has at most. */
const drawnRows = 40;

/** A type of rows with what they do. */
interface Rows {
  readonly type: string;
  readonly rows: readonly RowInfo[];
  readonly answers: readonly SpanAnswer[];
}

/** The rows of the sections that are open, as their searches and orders select them. */
async function rowsOf(source: ServerSource, limit: number): Promise<Rows[]> {
  const { sections } = fromTimelineHash(location.hash);
  const w = shown(source);
  const whole = { from: Math.floor(w.from), to: Math.ceil(w.to) };
  const { signal } = new AbortController();
  const all: Rows[] = [];
  for (const type of sectionTypes) {
    const s = sections[type];
    if (!s?.open || !source.trace.types.some((x) => x.type === type && x.count > 0)) continue;
    const window = s.here ? whole : null;
    const { rows } = await source.rows(
      { type, match: s.query, order: s.order, skip: 0, limit, window },
      signal,
    );
    const answers = [];
    for (let i = 0; i < rows.length; i += 100) {
      const ids = rows.slice(i, i + 100).map((r) => r.id);
      answers.push(await source.spans(ids, whole, width, signal));
    }
    all.push({ type, rows, answers });
  }
  return all;
}

/** The rows as a table. */
async function tableOf(source: ServerSource): Promise<TimelineRow[]> {
  const w = shown(source);
  const whole = { from: Math.floor(w.from), to: Math.ceil(w.to) };
  const all = await rowsOf(source, mostRows);
  return all.flatMap((s) => timelineRows(s.type, s.rows, s.answers, source.trace.states, whole));
}

/** The rows as a picture. */
async function pictureOf(source: ServerSource): Promise<string> {
  const lanes = (await rowsOf(source, drawnRows)).flatMap(({ rows, answers }) => {
    const data = new Map(
      answers.flatMap((a) => a.rows.map((r) => [r.id, laneData(r, a.from, a.to, a.width)] as const)),
    );
    return rows.map((r): Lane => ({ name: [r.name, r.kind].filter(Boolean).join(" "), data: data.get(r.id) }));
  });
  const inks = new Inks(getComputedStyle(document.documentElement));
  const color = (s: State | undefined) => (s?.group === "function" ? kindInk(s.name, inks) : inks.states[colorOf(s)]);
  return lanesSvg(
    source.trace.name,
    lanes,
    source.trace.states,
    shown(source),
    new SvgPen(hexColors()),
    color,
    inks.text,
  );
}

/** What a profile of the trace is made of: the selected area or else the window, and the selected goroutine. */
function selection(source: ServerSource): Record<string, string | number | undefined> {
  const { area, selected } = fromTimelineHash(location.hash);
  const { from, to } = area ?? shown(source);
  const ids = area ? area.ids : selected ? [selected.id] : [];
  const goroutine = ids.length === 1 && ids[0]?.startsWith("g") ? ids[0] : undefined;
  return { from: Math.floor(from), to: Math.ceil(to), goroutine };
}

/**
 * Lets a link without a view find the goroutines of what the view before showed: those that its function
 * started, or that its filter finds, if there are any.
 */
async function seek(source: ServerSource): Promise<void> {
  const state = fromTimelineHash(location.hash);
  const section = state.sections["goroutine"];
  if (location.hash.length > 1 || !section) return;
  const src = param("src") || param("box");
  const { signal } = new AbortController();
  for (const match of [src && exactly(src), param("focus")]) {
    if (!match) continue;
    const query = { type: "goroutine", match, order: section.order, skip: 0, limit: 1, window: null } as const;
    // A filter may be longer than the search may be.
    const { total } = await source.rows(query, signal).catch(() => ({ total: 0 }));
    if (total === 0) continue;
    const sections = { ...state.sections, goroutine: { ...section, query: match } };
    history.replaceState(history.state, "", `#${timelineHash({ ...state, sections })}`);
    return;
  }
}

/** The timeline of a file's execution trace. */
export async function showTimeline(root: HTMLElement, ready: Promise<void>): Promise<Help> {
  const others = { ru: () => import("../texts/timeline.ru.ts"), zh: () => import("../texts/timeline.zh.ts") };
  const [source] = await Promise.all([
    get<Trace>("/timeline/trace", { file: file.value }).then((trace) => ServerSource.of(trace, rawName(file.value))),
    timelineTexts.speak(language.value, others),
    ready,
  ]);
  await seek(source);
  const stem = file.value.split("/").at(-1) ?? "";
  const saving = (make: () => Promise<void>) => () =>
    make().catch((err: unknown) => say(reason(err)));
  sharing.value = {
    // The window is that of the moment.
    get command() {
      const { window } = fromTimelineHash(location.hash);
      const times = window ? ["--from", `${Math.floor(window.from)}ns`, "--to", `${Math.ceil(window.to)}ns`] : [];
      return ["whet", "trace", "timeline", ...times, file.value];
    },
    files: [
      { key: "share.whet", href: address("/download", { file: file.value }) },
      {
        key: "share.page",
        make: saving(async () => {
          const { from, to } = shown(source);
          const window = { from: Math.floor(from), to: Math.ceil(to) };
          const page = await getText("/timeline", { file: file.value, ...window, format: "html" });
          save(`${stem}.timeline.html`, new Blob([page], { type: "text/html" }));
        }),
      },
      {
        key: "share.png",
        make: saving(async () => {
          const view = root.querySelector<HTMLElement>(".picture");
          const made = view && (await viewPng(view, property("--panel")));
          if (made) save(`${stem}.timeline.png`, made);
        }),
      },
      {
        key: "share.svg",
        make: saving(async () => {
          save(`${stem}.timeline.svg`, new Blob([await pictureOf(source)], { type: "image/svg+xml" }));
        }),
      },
      ...(["cpu", "sync", "net", "syscall", "sched"] as const).map((kind) => ({
        key: `share.trace.${kind}` as const,
        make: saving(async () => {
          const data = await getBytes("/trace-profile", { file: file.value, kind, ...selection(source) });
          save(`${stem}.trace-${kind}.pb.gz`, new Blob([data]));
        }),
      })),
      {
        key: "share.csv",
        make: saving(async () => save(`${stem}.timeline.csv`, csv(timelineCells(await tableOf(source))))),
      },
      {
        key: "share.json",
        make: saving(async () => {
          const { from, to } = shown(source);
          const rows = await tableOf(source);
          const doc = { name: source.trace.name, from: Math.floor(from), to: Math.ceil(to), rows };
          save(`${stem}.timeline.json`, new Blob([JSON.stringify(doc, null, 1)], { type: "application/json" }));
        }),
      },
    ],
  };
  // A trace by itself has no profile with source.
  const kind = files.value?.files?.find((f) => f.name === file.value)?.kind;
  const links: FrameLinks = {
    source: (f) =>
      kind === "recording"
        ? link("flame", { file: file.value, src: f.function, line: String(f.line), tab: "source" })
        : "",
    editor: (f) => editorAddress(files.value?.editor, f.file, f.line, false),
  };
  return startTimeline(source, root, true, links);
}
