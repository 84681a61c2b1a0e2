import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { CanceledError, explain, online, Unreachable } from "../api/client.ts";
import type { Warning } from "../api/v1.ts";
import { isPartial } from "../lib/partial.ts";
import { number } from "../lib/when.ts";
import { language, t } from "../texts/index.ts";

/** What went wrong, in a sentence. */
export function reason(error: unknown): string {
  if (error instanceof CanceledError) return t("work.canceled");
  return error instanceof Unreachable ? t("app.unreachable") : explain(error).text;
}

/** What went wrong, with what to do, and a way to try again; if the server was gone, it is tried when it is back. */
export function Failure({ error, again }: { error: unknown; again?: () => void }): JSX.Element {
  const gone = error instanceof Unreachable;
  const hint = gone ? (again ? t("app.waits") : "") : explain(error).hint;
  const was = useRef(online.value);
  useEffect(() => {
    if (gone && online.value && !was.current) again?.();
    was.current = online.value;
  }, [online.value]);
  return (
    <div class="trouble" role="alert">
      <p>{reason(error)}</p>
      {hint && <p class="hint">{hint}</p>}
      {again && (
        <button type="button" onClick={again}>
          {t("app.retry")}
        </button>
      )}
    </div>
  );
}

export function Loading(): JSX.Element {
  return (
    <p class="loading" role="status">
      {t("app.loading")}
    </p>
  );
}

/** Warnings about a file, each once, folded if there are many. */
export function Warnings({ list }: { list: readonly Warning[] | null | undefined }): JSX.Element | null {
  if (!list || list.length === 0) return null;
  const once = list.filter((w, i) => list.findIndex((v) => v.text === w.text && v.where === w.where) === i);
  return (
    <div class="warnings">
      {once.slice(0, 8).map((w) =>
        isPartial(w) ? (
          <p key={w.text} class="partial" role="alert">
            <b>{t("store.partial")}</b> {w.text}. {w.hint && <span class="hint">{w.hint}</span>}
          </p>
        ) : (
          <p key={`${w.where ?? ""} ${w.text}`}>
            {w.where ? `${w.where}: ` : ""}
            {w.text}
            {w.hint && <span class="hint"> {w.hint}</span>}
          </p>
        ),
      )}
    </div>
  );
}

/** That a list has only its first n of all entries; nothing if it has all. */
export function First({ n, all }: { n: number; all: number }): JSX.Element | null {
  if (n >= all) return null;
  const words = { n: number(n, language.value), all: number(all, language.value) };
  return <p class="quiet first-of">{t("list.first", words)}</p>;
}

/** Shows more rows when it comes into view. */
export function More({ reveal }: { reveal: () => void }): JSX.Element {
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const seen = new IntersectionObserver((e) => e.some((x) => x.isIntersecting) && reveal());
    seen.observe(ref.current!);
    return () => seen.disconnect();
  });
  return (
    <div ref={ref} class="more">
      <Loading />
    </div>
  );
}

/** A bar of a share, 0 to 1. */
export function Bar({ share, kind = "own" }: { share: number; kind?: string }): JSX.Element {
  return (
    <span class="bar" aria-hidden="true">
      <span class={`bar-fill k-${kind}`} style={{ width: `${Math.max(0, Math.min(1, Math.abs(share))) * 100}%` }} />
    </span>
  );
}

/** One of several choices, as buttons. */
export function Choice<T extends string>(props: {
  label: string;
  value: T;
  options: readonly (readonly [T, string, string?])[];
  pick: (v: T) => void;
}): JSX.Element {
  return (
    <div class="choice" role="group" aria-label={props.label}>
      {props.options.map(([v, text, title]) => (
        <button type="button" key={v} aria-pressed={v === props.value} title={title} onClick={() => props.pick(v)}>
          {text}
        </button>
      ))}
    </div>
  );
}

/** A heading with a section below it. */
export function Section(props: {
  title: string;
  class?: string;
  /** The name of its element, for links to it. */
  id?: string;
  children: ComponentChildren;
  aside?: ComponentChildren;
}) {
  return (
    <section class={`block ${props.class ?? ""}`} id={props.id} tabIndex={props.id ? -1 : undefined}>
      <div class="block-head">
        <h2>{props.title}</h2>
        {props.aside}
      </div>
      {props.children}
    </section>
  );
}
