import { nextTheme, resolveTheme, storedTheme, storeTheme, themes } from "../state/theme.ts";
import { h } from "./dom.ts";

/**
 * The button that changes the theme, and a function that applies it, to be called once
 * the page is built. redraw redraws canvases, which style sheets do not affect. With a shell
 * around the page, the theme and its button are the shell's.
 */
export function themeButton(redraw: () => void, shell = false): { el: HTMLElement; paint: () => void } {
  if (shell) {
    new MutationObserver(redraw).observe(document.documentElement, { attributeFilter: ["data-theme"] });
    return { el: h("span", { hidden: true }), paint: redraw };
  }
  let theme = storedTheme();
  const el = h("button", {
    type: "button",
    onclick: () => {
      theme = nextTheme(theme);
      storeTheme(theme);
      paint();
    },
  });
  function paint(): void {
    document.documentElement.dataset.theme = resolveTheme(theme);
    el.textContent = themes[theme].sign;
    el.title = el.ariaLabel = `Colors: ${themes[theme].title}`;
    redraw();
  }
  document.documentElement.dataset.theme = resolveTheme(theme);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", paint);
  return { el, paint };
}
