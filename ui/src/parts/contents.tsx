import type { ComponentChildren, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { counted, namesIn, turned } from "../lib/contents.ts";
import { number } from "../lib/when.ts";
import { change, link, param, route } from "../state/route.ts";
import { language, t } from "../texts/index.ts";

/** A part of a page, and what it lists. */
export interface Chapter {
  readonly id: string; // of its element
  readonly title: string;
  readonly count?: number;
  readonly entries?: readonly { readonly id: string; readonly title: string; readonly note?: string }[];
}

/** How many entries of a chapter the contents have. */
const most = 100;

/** Names that one can choose from; the address has them in a parameter. */
export interface Rules {
  /** The rule of everything that the filter for text keeps, once for each. */
  readonly of: readonly string[];
}

/** The rules that are chosen: all if it is empty. */
export function chosenRules(): ReadonlySet<string> {
  return new Set(namesIn(param("rule")));
}

/** Shows an element, with the keyboard's focus. */
function show(id: string): void {
  const e = document.getElementById(id);
  e?.scrollIntoView({ block: "start" });
  e?.focus({ preventScroll: true });
}

/**
 * A page with its contents and filters next to it; on a phone, they fold above it. The address has what is chosen (q,
 * rule) and where the reader went (at).
 */
export function WithContents(props: {
  chapters: readonly Chapter[];
  /** What the filter for text looks in. */
  filter: string;
  rules?: Rules;
  /** How many entries the filters keep, and how many there are. */
  kept: number;
  all: number;
  children: ComponentChildren;
}): JSX.Element {
  const [wide] = useState(() => matchMedia("(min-width: 1101px)").matches);
  const chosen = chosenRules();
  const q = param("q");
  const at = param("at");
  const filtered = q !== "" || chosen.size > 0;
  useEffect(() => {
    if (at) show(at);
  }, [at]);
  const count = (n: number) => number(n, language.value);
  const to = (id: string, inner: ComponentChildren) => (
    <a
      href={link(route.value.view, { ...Object.fromEntries(route.value.params), at: id })}
      aria-current={at === id ? "location" : undefined}
      onClick={() => at === id && show(id)}
    >
      {inner}
    </a>
  );
  const rules = props.rules ? counted(props.rules.of, [...chosen]) : [];
  return (
    <div class="with-contents">
      <details class="contents" open={wide}>
        <summary>
          {t("contents.title")}
          {filtered && (
            <span class="quiet"> {t("contents.kept", { n: count(props.kept), all: count(props.all) })}</span>
          )}
        </summary>
        <input
          class="contents-search"
          type="search"
          placeholder={props.filter}
          aria-label={props.filter}
          value={q}
          onInput={(e) => change({ q: e.currentTarget.value }, true)}
        />
        {rules.length > 0 && (
          <ul class="rule-list" aria-label={t("contents.rules")}>
            {rules.slice(0, most).map(([rule, n]) => (
              <li key={rule}>
                <button
                  type="button"
                  aria-pressed={chosen.has(rule)}
                  onClick={() => change({ rule: turned(param("rule"), rule) }, true)}
                >
                  <span>{rule}</span> <span class="rule-count">{count(n)}</span>
                </button>
              </li>
            ))}
          </ul>
        )}
        {filtered && (
          <button type="button" class="plain contents-clear" onClick={() => change({ q: "", rule: "" }, true)}>
            {t("flame.nofilters")}
          </button>
        )}
        <nav aria-label={t("contents.title")}>
          <ol>
            {props.chapters.map((c) => (
              <li key={c.id}>
                {to(
                  c.id,
                  <>
                    {c.title}
                    {c.count !== undefined && <span class="quiet"> {count(c.count)}</span>}
                  </>,
                )}
                {c.entries && c.entries.length > 0 && (
                  <ol>
                    {c.entries.slice(0, most).map((e) => (
                      <li key={e.id}>
                        {to(
                          e.id,
                          <>
                            {e.title}
                            {e.note && <span class="quiet"> {e.note}</span>}
                          </>,
                        )}
                      </li>
                    ))}
                    {c.entries.length > most && (
                      <li class="quiet">{t("list.more", { n: count(c.entries.length - most) })}</li>
                    )}
                  </ol>
                )}
              </li>
            ))}
          </ol>
        </nav>
      </details>
      <div class="with-contents-page">{props.children}</div>
    </div>
  );
}
