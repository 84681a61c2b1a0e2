import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { tagText } from "../lib/tagfilter.ts";
import { change, param } from "../state/route.ts";
import { t } from "../texts/index.ts";

/** Filters of samples and frames, as the API and the command line name them. */
export const filters = ["focus", "ignore", "hide"] as const;

/**
 * The filters that the address has, as the API names them: those of samples and frames, the value of a label that
 * samples must have, and the label whose values are outermost frames.
 */
export function filterParams(): Record<(typeof filters)[number] | "tag_focus" | "tagroot", string> {
  return {
    focus: param("focus"),
    ignore: param("ignore"),
    hide: param("hide"),
    tag_focus: param("tag"),
    tagroot: param("label"),
  };
}

/** The filters that the address has, as it names them. */
export function filterLinks(): Record<string, string> {
  const { tag_focus, tagroot, ...rest } = filterParams();
  return { ...rest, tag: tag_focus, label: tagroot };
}

/** The filters that the address has, as flags of the command line. */
export function filterFlags(): string[] {
  return Object.entries(filterParams()).flatMap(([name, value]) =>
    value ? [`--${name.replace("_", "-")}`, value] : [],
  );
}

/** What clears all filters in the address. */
export function noFilters(): Record<string, undefined> {
  return Object.fromEntries(Object.keys(filterLinks()).map((k) => [k, undefined]));
}

/** The field of a filter, which is applied by Enter or when it is left. */
export function Filter({ name }: { name: (typeof filters)[number] }): JSX.Element {
  const value = param(name);
  const [text, set] = useState(value);
  useEffect(() => set(value), [value]);
  const apply = () => text !== value && change({ [name]: text, at: undefined, x: undefined });
  return (
    <input
      class={value ? "set" : ""}
      placeholder={t(`flame.${name}`)}
      aria-label={t(`flame.${name}.title`)}
      title={t(`flame.${name}.title`)}
      spellcheck={false}
      autocomplete="off"
      value={text}
      onInput={(e) => set(e.currentTarget.value)}
      onBlur={apply}
      onKeyDown={(e) => {
        if (e.key === "Enter") apply();
      }}
    />
  );
}

/** The label value that samples must have, with a button that drops it. */
export function TagChip(): JSX.Element | null {
  const tag = param("tag");
  if (!tag) return null;
  const text = tagText(tag);
  return (
    <span class="chip">
      {text}{" "}
      <button
        type="button"
        class="plain"
        aria-label={t("flame.notag", { text })}
        onClick={() => change({ tag: undefined, at: undefined, x: undefined })}
      >
        ✕
      </button>
    </span>
  );
}

/** All filters, which are visible if any is set, and can be cleared. */
export function Filters(): JSX.Element {
  const label = param("label");
  const some = filterFlags().length > 0;
  return (
    <details class="flame-filters" open={some}>
      <summary>{t("flame.filters")}</summary>
      <div class="flame-filter-list">
        {filters.map((f) => (
          <Filter key={f} name={f} />
        ))}
        <TagChip />
        {label && (
          <span class="chip">
            {t("flame.label")}: {label}
          </span>
        )}
        {some && (
          <button type="button" onClick={() => change(noFilters())}>
            {t("flame.nofilters")}
          </button>
        )}
      </div>
    </details>
  );
}
