import { signal } from "@preact/signals";
import { plainAll } from "../lib/plain.ts";
import { fileParams, rawName } from "../lib/rawname.ts";
import type { Job, Problem } from "./v1.ts";

const base = "/api/v1";

/** An answer that says what is wrong, and what to do. */
export class ProblemError extends Error {
  constructor(
    readonly problem: Problem,
    readonly status: number,
  ) {
    super(problem.detail);
  }
}

/** The server did not answer. */
export class Unreachable extends Error {}

/** Whether the server answers. */
export const online = signal(true);

/** Whether the server wants a token. */
export const locked = signal(false);

export type Params = Record<string, string | number | boolean | undefined>;

/** The address of an operation; parameters that are empty are left out. */
export function address(path: string, params: Params = {}): string {
  const query = new URLSearchParams();
  for (const [k, v] of Object.entries(params))
    if (v !== undefined && v !== "" && v !== false)
      query.set(k, fileParams.has(k) ? rawName(String(v)) : String(v));
  const text = query.toString();
  return base + path + (text ? `?${text}` : "");
}

/** An answer in a page that was saved; the body is text, or base64 if the type is not one of text. */
export interface SavedAnswer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

let saved: ReadonlyMap<string, SavedAnswer> | null = null;

/** Takes the answers from a page that was saved, instead of a server. The keys are those of Go's saved.key. */
export function answerFrom(answers: ReadonlyMap<string, SavedAnswer>): void {
  saved = answers;
}

/** Whether the page was saved: there is no server. */
export function isSaved(): boolean {
  return saved !== null;
}

/** The answer that was saved for an address; undefined if there is none. */
export function savedAnswer(url: string): SavedAnswer | undefined {
  const at = new URL(url, "http://saved");
  at.searchParams.sort();
  return saved?.get(at.pathname + [...at.searchParams].map(([k, v]) => `\n${k}=${v}`).join(""));
}

function fromSaved(url: string): Response {
  const a = savedAnswer(url);
  if (!a)
    throw new ProblemError(
      {
        type: "about:blank",
        title: "not saved",
        status: 404,
        detail: "this view is not part of the saved page",
        hint: "`whet ui FILE` shows all views of the recording",
      },
      404,
    );
  const text = /^(text\/|application\/(problem\+)?json|image\/svg)/.test(a.type);
  const body = a.status === 204 ? null : text ? a.body : Uint8Array.from(atob(a.body), (c) => c.charCodeAt(0));
  return new Response(body, { status: a.status, headers: { "Content-Type": a.type } });
}

/** How often an answer that takes long is requested as a job; then the page waits for it. */
const mostJobs = 3;

/** Requests of data can be answered with a job after a second, as RFC 7240 has it. */
const prefer = { Prefer: "respond-async, wait=1" };

async function send(url: string, init: RequestInit, tries = mostJobs): Promise<Response> {
  const later = init.method === undefined && tries > 0;
  let r: Response;
  try {
    const headers = { ...(later ? prefer : {}), ...init.headers };
    const all = { credentials: "same-origin", ...init, headers } as const;
    r = saved ? fromSaved(url) : await fetch(url, all);
  } catch (err) {
    if (saved || (err instanceof DOMException && err.name === "AbortError")) throw err;
    online.value = false;
    throw new Unreachable("the server does not answer", { cause: err });
  }
  online.value = true;
  if (later && r.status === 202) {
    await ended(plainAll((await r.json()) as Job), init.signal);
    return send(url, init, tries - 1);
  }
  if (r.ok || r.status === 304) return r;
  if (r.status === 401) locked.value = true;
  let problem: Problem = { type: "about:blank", title: r.statusText, status: r.status, detail: r.statusText };
  try {
    problem = plainAll((await r.json()) as Problem);
  } catch {
    // Something between the page and the server has answered.
  }
  throw new ProblemError(problem, r.status);
}

/** An event of a job, as the server streams it. */
export interface JobEvent {
  readonly number: number;
  readonly text?: string;
  readonly done?: number;
  readonly notes?: string[];
  readonly job?: Job;
}

/**
 * Calls each with the events of a job until it ends or stop is called. The browser connects again
 * by itself, and says which event it has seen last. gone is called if the server does not know the job.
 */
export function follow(id: string, each: (e: JobEvent) => void, gone?: () => void): () => void {
  const source = new EventSource(address(`/jobs/${encodeURIComponent(id)}/events`));
  source.onmessage = (m: MessageEvent<string>) => {
    const e = plainAll(JSON.parse(m.data) as JobEvent);
    each(e);
    if (e.job) source.close();
  };
  source.onerror = () => {
    if (source.readyState === EventSource.CLOSED) gone?.();
  };
  return () => source.close();
}

/** A job that the page waits for. */
export interface Waiting {
  readonly job: Job;
  /** What is done now. */
  readonly text: string;
  /** The part that is done, 0 to 1; 0 if unknown. */
  readonly done: number;
}

/** What the page waits for, the first one first. */
export const waiting = signal<readonly Waiting[]>([]);

/** A request whose job was canceled. */
export class CanceledError extends Error {}

/** Waits until a job has ended well, or the server does not know it any more, which a new request tells. */
function ended(job: Job, signal: AbortSignal | null | undefined): Promise<void> {
  return new Promise((done, fail) => {
    const show = (e: JobEvent | null) => {
      const now = { job, text: e?.text ?? "", done: e?.done ?? 0 };
      const known = waiting.value.some((w) => w.job.id === job.id);
      waiting.value = known ? waiting.value.map((w) => (w.job.id === job.id ? now : w)) : [...waiting.value, now];
    };
    const leave = () => {
      stop();
      signal?.removeEventListener("abort", abort);
      waiting.value = waiting.value.filter((w) => w.job.id !== job.id);
    };
    const abort = () => {
      leave();
      post(`/jobs/${job.id}/cancel`).catch(() => undefined); // the server cancels it later
      fail(new DOMException("the view has changed", "AbortError"));
    };
    const each = (e: JobEvent) => {
      if (!e.job) return show(e);
      leave();
      if (e.job.state === "done") return done();
      if (e.job.state === "canceled") return fail(new CanceledError(job.title));
      const { error = "", hint } = e.job;
      const problem = { type: "about:blank", title: job.title, status: 422, detail: error, ...(hint ? { hint } : {}) };
      fail(new ProblemError(problem, 422));
    };
    const stop = follow(job.id, each, () => {
      leave();
      done();
    });
    signal?.addEventListener("abort", abort);
    if (signal?.aborted) return abort();
    show(null);
  });
}

/** The answer of an operation. */
export async function get<T>(path: string, params: Params = {}, signal?: AbortSignal): Promise<T> {
  const r = await send(address(path, params), signal ? { signal } : {});
  return r.status === 204 ? (null as T) : plainAll((await r.json()) as T); // 204: there is none yet
}

/** The answer of an operation as bytes. */
export async function getBytes(
  path: string,
  params: Params = {},
  signal?: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  const r = await send(address(path, params), signal ? { signal } : {});
  return new Uint8Array(await r.arrayBuffer());
}

/** The answer of an operation as text, such as a drawing. */
export async function getText(path: string, params: Params = {}, signal?: AbortSignal): Promise<string> {
  const r = await send(address(path, params), signal ? { signal } : {});
  return r.text();
}

/** A file, with the name that the server gives it. */
export async function getFile(url: string): Promise<{ name: string; content: Blob }> {
  const r = await send(url, {});
  const name = /filename="([^"]*)"/.exec(r.headers.get("Content-Disposition") ?? "")?.[1] ?? "";
  return { name, content: await r.blob() };
}

/** The answer, or null if it is still the one with the tag. seen gets it as the server sent it. */
export async function getChanged<T>(
  path: string,
  tag: string,
  seen: (value: T) => void,
): Promise<{ value: T; tag: string } | null> {
  const r = await send(address(path), { headers: tag ? { "If-None-Match": tag } : {}, cache: "no-store" });
  if (r.status === 304) return null;
  const value = (await r.json()) as T;
  seen(value);
  return { value: plainAll(value), tag: r.headers.get("ETag") ?? "" };
}

/** Sends a document, or a file. */
export async function post<T>(path: string, body?: unknown, params: Params = {}): Promise<T> {
  const init: RequestInit = { method: "POST" };
  if (body instanceof Blob) init.body = body;
  else if (body !== undefined) {
    init.body = JSON.stringify(body);
    init.headers = { "Content-Type": "application/json" };
  }
  const r = await send(address(path, params), init);
  return plainAll((await r.json()) as T);
}

/** What is wrong, in words for the reader. */
export function explain(err: unknown): { text: string; hint: string } {
  if (err instanceof ProblemError) return { text: err.problem.detail, hint: err.problem.hint ?? "" };
  return { text: err instanceof Error ? err.message : String(err), hint: "" };
}
