import css from "../style.css?inline";
import pageCSS from "../style-load.css?inline";

/** Reads the page's data from the element with the id and starts the page with it. */
export function startPage<Doc>(id: string, styles: string, start: (doc: Doc, root: HTMLElement) => void): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css + pageCSS + styles);
  document.adoptedStyleSheets = [sheet];
  const root = document.createElement("div");
  root.id = "app";
  document.body.append(root);
  try {
    const data = document.getElementById(id);
    if (!data) throw new Error("the page has no data");
    const doc = JSON.parse(data.textContent ?? "") as Doc;
    data.remove();
    start(doc, root);
  } catch (err) {
    const p = document.createElement("p");
    p.className = "failure";
    p.textContent = `The report cannot be shown: ${err instanceof Error ? err.message : String(err)}`;
    root.replaceChildren(p);
  }
}
