import { signal } from "@preact/signals";
import { plainAll } from "../lib/plain.ts";
import { fileParams, rawName } from "../lib/rawname.ts";
import type { Problem } from "./v1.ts";

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

async function send(url: string, init: RequestInit): Promise<Response> {
  let r: Response;
  try {
    r = saved ? fromSaved(url) : await fetch(url, { credentials: "same-origin", ...init });
  } catch (err) {
    if (saved || (err instanceof DOMException && err.name === "AbortError")) throw err;
    online.value = false;
    throw new Unreachable("the server does not answer", { cause: err });
  }
  online.value = true;
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
