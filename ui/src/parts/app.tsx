import { signal } from "@preact/signals";
import { render, type JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { get, isSaved, locked, online, Unreachable } from "../api/client.ts";
import type { Session } from "../api/v1.ts";
import { Failure, Loading } from "./basics.tsx";
import { Dialogs, Header, isStore, listenToKeys, Status } from "./shell.tsx";
import { Hub } from "../pages/hub.tsx";
import { Overview } from "../pages/overview.tsx";
import { Login } from "../pages/login.tsx";
import { titleOf } from "../lib/selector.ts";
import { files, watchFiles } from "../state/files.ts";
import { file, followLinks, go, route } from "../state/route.ts";
import { applyTheme, sharing, viewCommands, viewKeys } from "../state/shell.ts";
import { preferred, speak, t } from "../texts/index.ts";

/** Views apart from the first ones, by the path of their address: what loads them. */
export type Views = Record<string, () => Promise<() => JSX.Element>>;

let later: Views = {};

/** Whether the server has said that this visitor may see the pages: until then, the page requests nothing else. */
const admitted = signal(false);

function Later({ name }: { name: string }): JSX.Element {
  const [View, set] = useState<{ it: () => JSX.Element } | null>(null);
  const [error, fail] = useState<unknown>(null);
  useEffect(() => {
    set(null);
    fail(null);
    later[name]!().then(
      (it) => set({ it }),
      // Its script did not come. The next answer of the server says that it is back.
      (err: unknown) => {
        online.value = false;
        fail(new Unreachable("the server does not answer", { cause: err }));
      },
    );
  }, [name]);
  if (error) return <Failure error={error} again={() => location.reload()} />;
  return View ? <View.it /> : <Loading />;
}

function View(): JSX.Element {
  const { view } = route.value;
  // What a view adds to the palette and to sharing ends with it.
  useEffect(
    () => () => {
      viewCommands.value = [];
      viewKeys.value = [];
      sharing.value = {};
    },
    [view, file.value],
  );
  if (view === "") return isSaved() ? <First /> : <Hub />;
  if (view === "overview") return <Overview />;
  if (view in later) return <Later key={view} name={view} />;
  return <p class="trouble">{t("app.unknown")}</p>;
}

/** The first view of a page that was saved: it has one recording, and no list. */
function First(): JSX.Element {
  const to = files.value?.first;
  useEffect(() => {
    if (to) go(to, true);
  }, [to]);
  return <Loading />;
}

function App(): JSX.Element {
  return locked.value ? <Login /> : <Shell />;
}

function Shell(): JSX.Element {
  const name = file.value;
  useEffect(() => {
    const at = titleOf(name);
    if (route.value.view !== "live" && !isStore(route.value.view)) document.title = at ? `${at} · whet` : "whet";
  }, [name, route.value.view]);
  return (
    <>
      <Header />
      <Status />
      <main id="content" class={`page page-${route.value.view.replace("/", "-") || "hub"}`} tabIndex={-1}>
        {admitted.value ? <View /> : <Loading />}
      </main>
      <Dialogs />
    </>
  );
}

/** Shows the view that the address names. */
export async function start(views: Views): Promise<void> {
  later = views;
  applyTheme();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", applyTheme);
  const language = speak(preferred());
  listenToKeys();
  const root = document.getElementById("app")!;
  followLinks(root);
  const first = route.value.view === "" && route.value.params.size === 0;
  later[route.value.view]?.().catch(() => undefined); // while the session and the files load
  const asked = get<Session>("/session").catch(() => ({ logged_in: true }));
  await language;
  if (!first) render(<App />, root); // the header, at once
  const session = await asked;
  if (!session.logged_in) locked.value = true;
  else {
    const list = watchFiles();
    if (first) {
      await list;
      const empty = files.value?.store && !files.value.files?.length;
      const to = files.value?.first || (empty ? "/store" : "");
      if (
        to &&
        performance.getEntriesByType("navigation").some((n) => (n as PerformanceNavigationTiming).type === "navigate")
      )
        go(to, true);
    }
  }
  admitted.value = true;
  if (!first) return;
  root.replaceChildren(); // the header of the document, which a login does not have
  render(<App />, root);
}
