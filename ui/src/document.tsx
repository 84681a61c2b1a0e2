import { effect } from "@preact/signals";
import { render, type JSX } from "preact";
import { get, locked } from "./api/client.ts";
import type { Session } from "./api/v1.ts";
import { Failure, Loading } from "./parts/basics.tsx";
import { Dialogs, Header, listenToKeys, Status } from "./parts/shell.tsx";
import { Login } from "./pages/login.tsx";
import { watchFiles } from "./state/files.ts";
import { file, followLinks, route } from "./state/route.ts";
import { applyTheme, viewHelp } from "./state/shell.ts";
import type { Help } from "./views/pagehelp.ts";
import { language, preferred, speak } from "./texts/index.ts";
import "./style.css";
import "./style-shell.css";

/**
 * Shows a view in the element, once ready holds: until then, the view asks for what it shows. What it returns is
 * the view's part of the help, if it has one.
 */
type Show = (root: HTMLElement, ready: Promise<void>) => Promise<Help | void>;

const views: Record<string, () => Promise<Show>> = {
  timeline: () => import("./pages/timeline.ts").then((m) => m.showTimeline),
  bench: () => import("./pages/bench.ts").then((m) => m.showBench),
  load: () => import("./pages/load.ts").then((m) => m.showLoad),
};

/** What stands in place of a page. */
function Instead({ name, children }: { name: string; children: JSX.Element }): JSX.Element {
  return (
    <main class="instead">
      <h1 class="unseen">{name}</h1>
      {children}
    </main>
  );
}

/** Views that are separate documents: the pages that whet also saves, below the header of whet ui. */
async function start(): Promise<void> {
  applyTheme();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", applyTheme);
  const spoken = speak(preferred());
  const top = document.createElement("div");
  const page = document.createElement("div");
  page.id = "content";
  page.tabIndex = -1;
  page.className = `document document-${route.value.view}`;
  const wait = document.createElement("div"); // until the page is there, or if it cannot be shown
  const root = document.getElementById("app")!;
  root.append(top, wait, page);
  const asked = get<Session>("/session").catch(() => ({ logged_in: true }));
  const loaded = views[route.value.view]!(); // while the server answers
  loaded.catch(() => undefined); // said below
  await spoken;
  const session = await asked;
  if (!session.logged_in) {
    locked.value = true;
    effect(() => void (locked.value || location.reload()));
    render(<Login />, page);
    return;
  }
  followLinks(top);
  const files = watchFiles();
  document.title = `${file.value.split("/").at(-1)} · whet`;
  render(
    <>
      <Header />
      <Status />
      <Dialogs />
    </>,
    top,
  );
  const instead = (content: JSX.Element | null) =>
    render(content && <Instead name={document.title}>{content}</Instead>, wait);
  instead(<Loading />);
  listenToKeys(); // before the view does: its keys come after those that work everywhere
  try {
    const show = await loaded;
    viewHelp.value = (await show(page, files)) ?? null;
    instead(null);
    const shown = language.value;
    effect(() => void (language.value !== shown && location.reload())); // the link has what is shown
  } catch (err) {
    instead(<Failure error={err} again={() => location.reload()} />);
  }
}

void start();
