/**
 * Gives a search box the focus when "/" is pressed, and follows the page's address: when it
 * changes, query reads it and returns what the box shows, then changed draws the page.
 */
export function bindSearch(input: HTMLInputElement, query: () => string, changed: () => void): void {
  window.addEventListener("hashchange", () => {
    input.value = query();
    changed();
  });
  document.addEventListener("keydown", (e) => {
    if (e.key === "/" && document.activeElement !== input) {
      e.preventDefault();
      input.focus();
    }
  });
}
