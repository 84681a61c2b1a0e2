type Child = Node | string | null | false;
type Props = { [key: string]: string | number | boolean | ((e: never) => void) | undefined };

/**
 * Creates an element. Properties that start with "on" are listeners, the others
 * attributes; true is an empty attribute, false and undefined none. Text is
 * always text, never markup.
 */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props: Props = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const el = document.createElement(tag);
  for (const [key, value] of Object.entries(props)) {
    if (typeof value === "function") el.addEventListener(key.slice(2), value as EventListener);
    else if (value === true) el.setAttribute(key, "");
    else if (value !== false && value !== undefined) el.setAttribute(key, String(value));
  }
  el.append(...children.filter((c): c is Node | string => c !== null && c !== false));
  return el;
}

/** A group of buttons, one of them selected. Returns the element and a function to select another. */
export function choice(
  label: string,
  options: readonly (readonly [value: string, text: string, title?: string])[],
  pick: (value: string) => void,
): { el: HTMLElement; show: (value: string) => void; enable: (value: string, on: boolean) => void } {
  const buttons = options.map(([value, text, title]) =>
    h("button", { type: "button", "data-value": value, title, onclick: () => pick(value) }, text),
  );
  return {
    el: h("div", { class: "choice", role: "group", "aria-label": label }, ...buttons),
    show: (value) => {
      for (const b of buttons) b.setAttribute("aria-pressed", String(b.dataset.value === value));
    },
    enable: (value, on) => {
      for (const b of buttons) if (b.dataset.value === value) b.hidden = !on;
    },
  };
}

/** Copies text; through a selection if pages may not use the clipboard. */
export async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = h("textarea", { class: "offscreen", "aria-hidden": "true" });
    area.value = text;
    document.body.append(area);
    area.select();
    const ok = document.execCommand("copy");
    area.remove();
    return ok;
  }
}
