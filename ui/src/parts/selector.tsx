import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { get } from "../api/client.ts";
import type { Labels } from "../api/v1.ts";
import { complete, completionAt, parseSelector, selectorText, type Completion } from "../lib/selector.ts";
import { t } from "../texts/index.ts";

/** How many completions are listed. */
const most = 50;

const id = "selector-list";

/** A field for a selector, which completes the names and values of labels. Enter applies it. */
export function SelectorField({ value, apply }: { value: string; apply: (text: string) => void }): JSX.Element {
  const [text, setText] = useState(value);
  const [open, setOpen] = useState<Completion | null>(null);
  const [found, setFound] = useState<readonly string[]>([]);
  const [at, setAt] = useState(-1);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => setText(value), [value]);
  const matchers = parseSelector(text);
  useEffect(() => {
    if (!open) return;
    const stop = new AbortController();
    get<Labels>("/store/labels", open.kind === "value" ? { name: open.name } : {}, stop.signal).then(
      (l) => {
        const typed = open.typed.toLowerCase();
        const all = (l.values ?? []).filter((v) => v.toLowerCase().includes(typed) && v !== open.typed);
        // Those that begin with what was typed come first.
        all.sort((a, b) => Number(b.toLowerCase().startsWith(typed)) - Number(a.toLowerCase().startsWith(typed)));
        setFound(all);
        setAt(-1);
      },
      () => !stop.signal.aborted && setFound([]), // applying the selector shows what is wrong
    );
    return () => stop.abort();
  }, [open?.kind, open?.name, open?.typed]);
  const look = () => {
    const el = input.current!;
    setOpen(completionAt(el.value, el.selectionStart ?? el.value.length));
  };
  const shown = open ? found.slice(0, most) : [];
  const pick = (chosen: string) => {
    const next = complete(text, open!, chosen);
    const el = input.current!;
    // The field is changed now, because the completion after it depends on the place in it.
    el.value = next.text;
    el.setSelectionRange(next.caret, next.caret);
    setText(next.text);
    el.focus();
    look();
  };
  const send = () => {
    setOpen(null);
    if (matchers) apply(selectorText(matchers));
  };
  return (
    <div class="selector-field">
      <input
        ref={input}
        type="text"
        role="combobox"
        aria-label={t("store.selector")}
        aria-expanded={shown.length > 0}
        aria-controls={id}
        aria-autocomplete="list"
        aria-invalid={matchers === null}
        aria-activedescendant={at >= 0 && at < shown.length ? `${id}-${at}` : undefined}
        placeholder={'{version="v1",region=~"eu.*"}'}
        spellcheck={false}
        autocomplete="off"
        autocapitalize="off"
        value={text}
        onInput={(e) => {
          setText(e.currentTarget.value);
          look();
        }}
        onClick={look}
        onBlur={(e) => {
          if (e.relatedTarget instanceof Element && e.relatedTarget.closest(".selector-field")) return;
          if (matchers && selectorText(matchers) !== value) send();
          setOpen(null);
        }}
        onKeyDown={(e) => {
          if (e.key === "ArrowDown" && !open) look();
          else if (e.key === "ArrowDown") setAt(Math.min(at + 1, shown.length - 1));
          else if (e.key === "ArrowUp") setAt(Math.max(at - 1, -1));
          else if (e.key === "Enter" && at >= 0 && shown[at] !== undefined) pick(shown[at]!);
          else if (e.key === "Enter") send();
          else if (e.key === "Escape" && open) setOpen(null);
          else return;
          e.preventDefault();
          e.stopPropagation();
        }}
      />
      <ul id={id} class="selector-list" role="listbox" aria-label={t("store.selector")} hidden={shown.length === 0}>
        {shown.map((v, i) => (
          <li
            key={v}
            id={`${id}-${i}`}
            role="option"
            aria-selected={i === at}
            onMouseDown={(e) => {
              e.preventDefault();
              pick(v);
            }}
          >
            {v}
          </li>
        ))}
      </ul>
      {open && found.length > most && <p class="quiet">{t("store.morevalues", { n: found.length - most })}</p>}
      {matchers === null && !open && (
        <p class="selector-wrong" role="alert">
          {t("store.badselector")} <code>{'{service="shop",env!="test"}'}</code>
        </p>
      )}
    </div>
  );
}
