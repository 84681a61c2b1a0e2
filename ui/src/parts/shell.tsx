import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { address, getFile, isSaved, online, post, savedAnswer, waiting } from "../api/client.ts";
import { commandLine } from "../lib/command.ts";
import { isStored, parseStoreName, titleOf } from "../lib/selector.ts";
import { files } from "../state/files.ts";
import { change, file, go, link, param, route } from "../state/route.ts";
import {
  dialog,
  message,
  save,
  say,
  sharing,
  theme,
  turnTheme,
  viewCommands,
  viewHelp,
  viewKeys,
  type Command,
} from "../state/shell.ts";
import { themes } from "../state/theme.ts";
import { language, languages, speak, t, type Key, type Language } from "../texts/index.ts";
import { copy } from "../views/dom.ts";
import { reason } from "./basics.tsx";

/** The views of a profile. */
const views = ["overview", "flame", "graph", "compare"] as const;
type ViewName = (typeof views)[number];

const viewText: Record<ViewName, Key> = {
  overview: "app.overview",
  flame: "app.flame",
  graph: "app.graph",
  compare: "app.compare",
};

/** Parameters that all views of a file keep: the sample type, the filters, and the function with its line. */
const kept = ["type", "focus", "ignore", "hide", "tag", "label"] as const;

/** The address of another view of the same file, with the same sample type, filters and function. */
export function viewLink(view: string): string {
  const params: Record<string, string | undefined> = { file: file.value };
  for (const k of kept) params[k] = param(k);
  // The graph has a box where the others have source.
  params[view === "graph" ? "box" : "src"] = param("src") || param("box");
  if (view !== "graph" && param("src")) params["line"] = param("line");
  if (view === "compare") params["base"] = param("base");
  return link(view, params);
}

/** Views that files of these kinds have, apart from those of profiles. */
const more: readonly { view: string; text: Key; kinds: readonly string[] }[] = [
  { view: "timeline", text: "app.trace", kinds: ["recording", "trace"] },
  { view: "load", text: "app.load", kinds: ["recording", "load"] },
  { view: "bench", text: "app.bench", kinds: ["bench"] },
  { view: "findings", text: "app.findings", kinds: ["findings"] },
  { view: "proof", text: "app.proof", kinds: ["proof"] },
  { view: "fixes", text: "app.fixes", kinds: ["fixes"] },
  { view: "goroutines", text: "app.goroutines", kinds: ["recording"] },
  { view: "memory", text: "app.memory", kinds: ["recording"] },
  { view: "over-time", text: "time.title", kinds: ["recording", "profile"] },
];

/** Whether a view of the file can be shown: all of them can, unless the page was saved. */
function shown(view: string): boolean {
  if (!isSaved() || view === "overview" || view === "flame" || view === "graph") return true;
  const format = view === "timeline" || view === "load" ? "html" : undefined;
  return savedAnswer(address(`/${view}`, { file: file.value, format }))?.status === 200;
}

/** The pages of the store. */
const storeViews: readonly { view: string; text: Key }[] = [
  { view: "store", text: "store.title" },
  { view: "store/profiles", text: "store.single" },
  { view: "store/regressions", text: "store.regressions" },
  { view: "store/targets", text: "store.targets" },
];

/** Whether a view is a page of the store. */
export function isStore(view: string): boolean {
  return storeViews.some((v) => v.view === view);
}

/** The address of another page of the store, for the same selection. */
function storePage(view: string): string {
  const from = parseStoreName(file.value);
  if (from) return link(view, { ...from });
  return link(view, Object.fromEntries(["query", "kind", "type", "since", "from", "to"].map((k) => [k, param(k)])));
}

/** The address of a file in the view at hand or, if it does not have that, in its first one. */
export function fileLink(name: string, kind: string): string {
  const here = route.value.view;
  const has = more.filter((v) => v.kinds.includes(kind));
  if (has.some((v) => v.view === here)) return link(here, { file: name });
  if (isProfile(kind)) return link("overview", { file: name });
  return link(has[0]?.view ?? "overview", { file: name });
}

function isProfile(kind: string | undefined): boolean {
  return kind === undefined || kind === "recording" || kind === "profile";
}

export function Header(): JSX.Element {
  const name = file.value;
  const kind = files.value?.files?.find((f) => f.name === name)?.kind;
  const here = route.value.view;
  const profile = isProfile(kind);
  const tabs = useRef<HTMLElement>(null);
  useEffect(() => {
    // On a phone, the tabs scroll.
    const current = tabs.current?.querySelector<HTMLElement>("[aria-current]");
    if (current) tabs.current!.scrollLeft = current.offsetLeft - tabs.current!.offsetLeft - 40;
  }, [here, kind, language.value, files.value?.store]);
  return (
    <header class="top">
      <a class="skip" href="#content" onClick={skip}>
        {t("app.skip")}
      </a>
      <a class="brand" href={link("")} aria-current={here === "" ? "page" : undefined}>
        whet
      </a>
      {name && (
        <>
          {isStored(name) ? <Stored name={name} /> : <FilePicker name={name} />}
          <nav class="tabs" ref={tabs} aria-label={t("app.views")}>
            {profile &&
              views.filter(shown).map((v) => (
                <a key={v} href={viewLink(v)} aria-current={here === v ? "page" : undefined}>
                  {t(viewText[v])}
                </a>
              ))}
            {more
              .filter((v) => kind !== undefined && v.kinds.includes(kind) && shown(v.view))
              .map((v) => (
                <a key={v.view} href={viewLink(v.view)} aria-current={here === v.view ? "page" : undefined}>
                  {t(v.text)}
                </a>
              ))}
          </nav>
        </>
      )}
      {!name && files.value?.store && (here === "" || isStore(here)) && (
        <nav class="tabs" ref={tabs} aria-label={t("app.views")}>
          {(here === "" ? storeViews.slice(0, 1) : storeViews).map((v) => (
            <a key={v.view} href={storePage(v.view)} aria-current={here === v.view ? "page" : undefined}>
              {t(v.text)}
            </a>
          ))}
        </nav>
      )}
      <div class="tools">
        {(name || here === "" || here === "live" || isStore(here)) && (
          <button type="button" class="share-button" onClick={() => (dialog.value = "share")}>
            {t("app.share")}
          </button>
        )}
        <button
          type="button"
          class="icon"
          title={t("app.palette")}
          aria-label={t("app.palette")}
          onClick={() => (dialog.value = "palette")}
        >
          ⌘
        </button>
        <select
          class="languages"
          aria-label={t("app.language")}
          value={language.value}
          onChange={(e) => void speak(e.currentTarget.value as Language)}
        >
          {Object.entries(languages).map(([k, v]) => (
            <option key={k} value={k}>
              {v}
            </option>
          ))}
        </select>
        <ThemeButton />
        <button
          type="button"
          class="icon"
          title={t("app.help")}
          aria-label={t("app.help")}
          onClick={() => (dialog.value = "help")}
        >
          ?
        </button>
      </div>
    </header>
  );
}

function skip(e: Event): void {
  e.preventDefault();
  document.getElementById("content")?.focus();
}

function ThemeButton(): JSX.Element {
  const name = t("app.theme", { theme: t(`app.theme.${theme.value}`) });
  return (
    <button type="button" class="icon" title={name} aria-label={name} onClick={turnTheme}>
      {themes[theme.value].sign}
    </button>
  );
}

/** What is shown of the store, and the way back to it. */
function Stored({ name }: { name: string }): JSX.Element {
  return (
    <a class="stored-name" href={storePage("store")} title={name}>
      ‹ {titleOf(name)}
    </a>
  );
}

/** The file that is shown; another one is shown in the same view. */
function FilePicker({ name }: { name: string }): JSX.Element {
  const own = more.find((v) => v.view === route.value.view)?.kinds ?? ["recording", "profile"];
  const list = files.value?.files?.filter((f) => own.includes(f.kind) || f.name === name) ?? [];
  const names = list.map((f) => f.name);
  if (!names.includes(name)) names.unshift(name);
  return (
    <select
      class="file-picker"
      aria-label={t("app.files")}
      title={name}
      value={name}
      onChange={(e) => change({ file: e.currentTarget.value })}
    >
      {names.slice(0, 500).map((n) => (
        <option key={n} value={n}>
          {n}
        </option>
      ))}
    </select>
  );
}

export function Status(): JSX.Element {
  const [was, setWas] = useState(true);
  useEffect(() => {
    if (online.value && !was) say(t("app.found"));
    setWas(online.value);
  }, [online.value]);
  return (
    <>
      {!online.value && (
        <p class="offline" role="alert">
          {t("app.lost")}
        </p>
      )}
      <Work />
      <div class={`toast ${message.value ? "shown" : ""}`} role="status" aria-live="polite">
        {message.value}
      </div>
    </>
  );
}

/** What the page waits for longer than a moment: how far it is, and a way to end it. */
function Work(): JSX.Element | null {
  // The source is there without the compiler's notes.
  const first = waiting.value.find((w) => w.job.kind !== "notes");
  if (!first) return null;
  const { job, text, done } = first;
  const what = job.kind === "timeline" || job.kind === "saved" ? t(`work.${job.kind}`) : t("work.other");
  return (
    <section class="work" aria-label={what}>
      <p role="status">
        <b>{what}</b> <span class="quiet">{job.title.replace(`${job.kind} of `, "")}</span>
      </p>
      <progress value={done || undefined} max={1} aria-label={what} />
      <p class="quiet work-now">{text}</p>
      <button type="button" onClick={() => void post(`/jobs/${job.id}/cancel`).catch(() => undefined)}>
        {t("record.cancel")}
      </button>
    </section>
  );
}

/** A dialog that the browser closes with Escape. */
function Dialog(props: {
  name: typeof dialog.value;
  title: string;
  class: string;
  children: ComponentChildren;
}): JSX.Element {
  const ref = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    ref.current?.showModal();
    return () => ref.current?.close();
  }, []);
  return (
    <dialog
      ref={ref}
      class={`sheet ${props.class}`}
      aria-label={props.title}
      // The event comes late: another dialog may be open.
      onClose={() => dialog.value === props.name && (dialog.value = "")}
      onClick={(e) => e.target === ref.current && (dialog.value = "")}
    >
      <div class="sheet-head">
        <h2>{props.title}</h2>
        <button type="button" class="icon" aria-label={t("app.close")} onClick={() => (dialog.value = "")}>
          ✕
        </button>
      </div>
      {props.children}
    </dialog>
  );
}

const keys: readonly (readonly [string, Key])[] = [
  ["Ctrl K", "help.palette"],
  ["?", "help.help"],
  ["g h", "help.files"],
  ["g o", "help.overview"],
  ["g f", "help.flame"],
  ["g g", "help.graph"],
  ["g p", "store.title"],
  ["l", "help.theme"],
];

/** The keys, and what the view at hand says of itself. */
function Help(): JSX.Element {
  const own = viewHelp.value;
  return (
    <Dialog name="help" title={own?.title ?? t("help.title")} class="help-sheet">
      {own?.about.map((text) => (
        <p key={text}>{text}</p>
      ))}
      <table>
        <tbody>
          {own?.keys.map(([k, what]) => (
            <tr key={k}>
              <th scope="row">{k}</th>
              <td>{what}</td>
            </tr>
          ))}
          {[...keys, ...viewKeys.value].map(([k, what]) => (
            <tr key={k}>
              <th scope="row">
                {k.split(" ").map((c) => (
                  <kbd key={c}>{c}</kbd>
                ))}
              </th>
              <td>{t(what)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Dialog>
  );
}

export function Dialogs(): JSX.Element | null {
  switch (dialog.value) {
    case "help":
      return (
        <Help />
      );
    case "palette":
      return <Palette />;
    case "share":
      return <Share />;
    default:
      return null;
  }
}

function Share(): JSX.Element {
  const s = sharing.value;
  const done = (ok: boolean) => {
    dialog.value = "";
    say(ok ? t("app.copied") : t("app.notcopied"));
  };
  const command = s.command ? commandLine(s.command) : "";
  return (
    <Dialog name="share" title={t("share.title")} class="share-sheet">
      <div class="share-rows">
        <code class="share-text">{location.href}</code>
        <button type="button" onClick={() => void copy(location.href).then(done)}>
          {t("share.link")}
        </button>
        {command && (
          <>
            <code class="share-text">{command}</code>
            <button type="button" onClick={() => void copy(command).then(done)}>
              {t("share.command")}
            </button>
          </>
        )}
      </div>
      <ul class="share-files">
        {(s.files ?? []).filter((f) => !f.href || !isSaved()).map((f) => (
          <li key={f.key}>
            {f.href ? (
              <a
                href={f.href}
                download=""
                onClick={(e) => {
                  dialog.value = "";
                  if (!made(f.href!)) return;
                  e.preventDefault();
                  void saveMade(f.href!);
                }}
              >
                {t(f.key)}
              </a>
            ) : (
              <button
                type="button"
                class="plain"
                onClick={() => {
                  dialog.value = "";
                  void f.make?.();
                }}
              >
                {t(f.key)}
              </button>
            )}
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

/** Whether a file is made when it is requested, which may take long. Others exist, and may be large. */
function made(href: string): boolean {
  return /\/saved\?|[?&]format=html(&|$)/.test(href);
}

/** Saves such a file. The page shows how far it is. */
async function saveMade(href: string): Promise<void> {
  try {
    const { name, content } = await getFile(href);
    save(name, content);
  } catch (err) {
    say(reason(err));
  }
}

const most = 60;

function Palette(): JSX.Element {
  const [query, setQuery] = useState("");
  const [at, setAt] = useState(0);
  const list = useRef<HTMLUListElement>(null);
  const all = commands();
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const found = all
    .filter((c) => words.every((w) => `${c.text} ${c.more ?? ""} ${t(`palette.${c.kind}`)}`.toLowerCase().includes(w)))
    .slice(0, most);
  const picked = Math.min(at, found.length - 1);
  useEffect(() => {
    list.current?.children[picked]?.scrollIntoView({ block: "nearest" });
  }, [picked]);
  const run = (c: Command | undefined) => {
    if (!c) return;
    dialog.value = "";
    c.run();
  };
  return (
    <Dialog name="palette" title={t("palette.title")} class="palette-sheet">
      <input
        type="text"
        class="palette-input"
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={picked >= 0 ? `palette-${picked}` : undefined}
        aria-label={t("palette.placeholder")}
        placeholder={t("palette.placeholder")}
        autofocus
        spellcheck={false}
        autocomplete="off"
        value={query}
        onInput={(e) => {
          setQuery(e.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={(e) => {
          if (e.key === "ArrowDown") setAt(Math.min(picked + 1, found.length - 1));
          else if (e.key === "ArrowUp") setAt(Math.max(picked - 1, 0));
          else if (e.key === "Enter") run(found[picked]);
          else return;
          e.preventDefault();
        }}
      />
      <ul id="palette-list" class="palette-list" role="listbox" aria-label={t("palette.title")} ref={list}>
        {found.map((c, i) => (
          <li
            key={`${c.kind} ${c.text} ${c.more ?? ""}`}
            id={`palette-${i}`}
            role="option"
            aria-selected={i === picked}
            onClick={() => run(c)}
          >
            <span class="palette-kind">{t(`palette.${c.kind}`)}</span>
            <span class="palette-text">{c.text}</span>
            {c.more && <span class="palette-more">{c.more}</span>}
          </li>
        ))}
      </ul>
      {found.length === 0 && <p class="quiet">{t("palette.none")}</p>}
    </Dialog>
  );
}

function commands(): Command[] {
  const list: Command[] = [{ kind: "view", text: t("app.files"), run: () => go(link("")) }];
  const kind = files.value?.files?.find((f) => f.name === file.value)?.kind;
  if (file.value) {
    if (isProfile(kind))
      for (const v of views.filter(shown))
        list.push({ kind: "view", text: t(viewText[v]), run: () => go(viewLink(v)) });
    for (const v of more)
      if (kind && v.kinds.includes(kind) && shown(v.view))
        list.push({ kind: "view", text: t(v.text), run: () => go(viewLink(v.view)) });
  }
  if (files.value?.store)
    for (const v of storeViews) list.push({ kind: "view", text: t(v.text), run: () => go(storePage(v.view)) });
  for (const target of files.value?.targets ?? [])
    list.push({ kind: "view", text: t("live.watch"), more: target, run: () => go(link("live", { target })) });
  list.push(...viewCommands.value);
  for (const f of files.value?.files ?? []) {
    if (isProfile(f.kind) || more.some((v) => v.kinds.includes(f.kind)))
      list.push({ kind: "file", text: f.name, run: () => go(fileLink(f.name, f.kind)) });
  }
  list.push({ kind: "action", text: t("help.theme"), run: turnTheme });
  list.push({ kind: "action", text: t("app.help"), run: () => (dialog.value = "help") });
  for (const [k, v] of Object.entries(languages))
    list.push({ kind: "action", text: `${t("app.language")}: ${v}`, run: () => void speak(k as Language) });
  return list;
}

/** The key of the palette. */
function listenToPalette(): void {
  document.addEventListener("keydown", (e) => {
    if (!(e.ctrlKey || e.metaKey) || e.key.toLowerCase() !== "k") return;
    dialog.value = dialog.value === "palette" ? "" : "palette";
    e.preventDefault();
  });
}

/** The keys that work everywhere. */
export function listenToKeys(): void {
  listenToPalette();
  let prefix = "";
  document.addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || e.defaultPrevented || dialog.value) return;
    if (e.target instanceof Element && e.target.matches("input, select, textarea")) return;
    const key = prefix + e.key;
    prefix = "";
    switch (key) {
      case "g":
        prefix = "g";
        break;
      case "gh":
        go(link(""));
        break;
      case "go":
        if (file.value) go(viewLink("overview"));
        break;
      case "gf":
        if (file.value) go(viewLink("flame"));
        break;
      case "gg":
        if (file.value) go(viewLink("graph"));
        break;
      case "gp":
        if (files.value?.store) go(storePage("store"));
        break;
      case "?":
        dialog.value = "help";
        break;
      case "l":
        turnTheme();
        break;
      default:
        return;
    }
    e.preventDefault();
  });
}
