import { h } from "./dom.ts";

const space = "http://www.w3.org/2000/svg";
const links = "http://www.w3.org/1999/xlink";

/** What a drawing of the server may contain. */
const elements = new Set(["g", "title", "a", "polygon", "path", "text", "ellipse", "polyline"]);
const attributes = new Set([
  "class",
  "transform",
  "points",
  "d",
  "x",
  "y",
  "cx",
  "cy",
  "rx",
  "ry",
  "fill",
  "stroke",
  "stroke-width",
  "stroke-dasharray",
  "text-anchor",
  "font-size",
  "font-weight",
]);

/** A part of the drawing, in its units. */
interface Part {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

/**
 * A call graph that can be moved, zoomed and searched. Boxes are picked by their index in names; moved gets the center
 * and the width of the part that the user chooses, or a width of 0 for everything.
 */
export class CallGraphView {
  readonly el: HTMLElement;
  private readonly svg = document.createElementNS(space, "svg");
  private readonly nodes = new Map<number, SVGGElement>();
  private readonly edges: { el: SVGGElement; from: number; to: number }[] = [];
  private home: Part = { x: 0, y: 0, w: 100, h: 100 };
  private view: Part = { x: 0, y: 0, w: 100, h: 100 };

  constructor(
    text: string,
    private readonly names: readonly string[],
    private readonly picked: (at: number) => void,
    private readonly moved: (x: number, y: number, width: number) => void,
  ) {
    const drawn = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
    const box = (drawn.getAttribute("viewBox") ?? "0 0 100 100").split(/[\s,]+/).map(Number);
    this.home = { x: box[0] ?? 0, y: box[1] ?? 0, w: box[2] ?? 100, h: box[3] ?? 100 };
    for (const child of drawn.children) {
      const made = this.copy(child);
      if (made) this.svg.append(made);
    }
    this.svg.setAttribute("role", "img");
    this.svg.setAttribute("aria-label", names.slice(0, 10).join(", "));
    this.el = h("div", { class: "callgraph", tabindex: 0, role: "application" }, this.svg as never);
    this.listen();
  }

  /** Sets what the graph is called. */
  name(text: string): void {
    this.el.setAttribute("aria-label", text);
  }

  /** Copies what is known of a drawing, without scripts, styles and links. */
  private copy(from: Element): SVGElement | null {
    const name = from.localName;
    if (!elements.has(name) || from.namespaceURI !== space) return null;
    if (name === "a") return this.copyChildren(from, "g");
    const to = this.copyChildren(from, name);
    for (const a of from.attributes) if (attributes.has(a.name)) to.setAttribute(a.name, a.value);
    const title = from.querySelector(":scope > title")?.textContent ?? "";
    if (name === "g" && from.classList.contains("node")) {
      const m = /^N(\d+)$/.exec(title);
      if (!m) return null; // the legend
      const at = Number(m[1]) - 1;
      to.querySelector(":scope > title")?.remove();
      const tip = document.createElementNS(space, "title");
      tip.textContent = this.names[at] ?? "";
      to.prepend(tip);
      this.nodes.set(at, to as SVGGElement);
      (to as SVGGElement).dataset["box"] = String(at);
    } else if (name === "g" && from.classList.contains("edge")) {
      const m = /^N(\d+)->N(\d+)$/.exec(title);
      if (m) this.edges.push({ el: to as SVGGElement, from: Number(m[1]) - 1, to: Number(m[2]) - 1 });
      to.querySelector(":scope > title")?.remove();
      const tip = document.createElementNS(space, "title");
      tip.textContent = from.querySelector("a")?.getAttributeNS(links, "title") ?? "";
      to.prepend(tip);
    }
    return to;
  }

  private copyChildren(from: Element, name: string): SVGElement {
    const to = document.createElementNS(space, name);
    if (name === "text" || name === "title") to.textContent = from.textContent;
    else
      for (const child of from.children) {
        const made = this.copy(child);
        if (made) to.append(made);
      }
    return to;
  }

  /** Shows everything, but not larger than it was drawn; a tall graph from its top. */
  fit(): void {
    const { clientWidth: w, clientHeight: hgt } = this.el;
    if (w === 0) return;
    const least = 0.95; // of the drawn size: smaller letters cannot be read
    const scale = Math.min(1.2, Math.max(least, Math.min(w / this.home.w, hgt / this.home.h)));
    const width = w / scale;
    const height = hgt / scale;
    const top = height >= this.home.h ? this.home.y - (height - this.home.h) / 2 : this.home.y;
    const middle = width < this.home.w ? this.start() : this.home.x + this.home.w / 2;
    const x = Math.min(Math.max(middle - width / 2, this.home.x), this.home.x + this.home.w - width);
    this.show({ x: width < this.home.w ? x : middle - width / 2, y: top, w: width, h: height });
  }

  /** The middle of the box at the top: a part of the graph begins there. */
  private start(): number {
    const boxes = [...this.svg.querySelectorAll<SVGGElement>(".node")].map((n) => n.getBBox());
    const first = boxes.reduce<DOMRect | null>((a, b) => (a && a.y <= b.y ? a : b), null);
    return first ? first.x + first.width / 2 : this.home.x + this.home.w / 2;
  }

  /** Shows a part again: its center and width, in the drawing's units. */
  restore(x: number, y: number, w: number): void {
    const { clientWidth, clientHeight } = this.el;
    if (clientWidth === 0) return;
    const h = (w * clientHeight) / clientWidth;
    this.show({ x: x - w / 2, y: y - h / 2, w, h });
  }

  /** Shows a part that the user chose. */
  private move(v: Part): void {
    this.show(v);
    this.moved(v.x + v.w / 2, v.y + v.h / 2, v.w);
  }

  private show(v: Part): void {
    this.view = v;
    this.svg.setAttribute("viewBox", `${v.x} ${v.y} ${v.w} ${v.h}`);
  }

  /** Leaves only a box, its callers and its callees in full color; -1 is all. */
  pick(at: number): void {
    const near = new Set([at]);
    for (const e of this.edges) {
      const touches = e.from === at || e.to === at;
      if (touches) near.add(e.from).add(e.to);
      e.el.classList.toggle("faint", at >= 0 && !touches);
    }
    for (const [i, el] of this.nodes) {
      el.classList.toggle("faint", at >= 0 && !near.has(i));
      el.classList.toggle("picked", i === at);
    }
    if (at >= 0) this.reveal(at);
  }

  /** Marks the boxes whose names contain a text, and moves to the first. */
  find(text: string): void {
    const want = text.toLowerCase();
    let first = -1;
    for (const [i, el] of this.nodes) {
      const hit = want !== "" && (this.names[i] ?? "").toLowerCase().includes(want);
      el.classList.toggle("found", hit);
      if (hit && (first < 0 || i < first)) first = i;
    }
    if (first >= 0) this.reveal(first);
  }

  /** Moves to a box that is out of view. */
  private reveal(at: number): void {
    const el = this.nodes.get(at);
    if (!el || !this.svg.isConnected) return;
    const box = el.getBoundingClientRect();
    const own = this.el.getBoundingClientRect();
    if (box.left >= own.left && box.right <= own.right && box.top >= own.top && box.bottom <= own.bottom) return;
    const perX = this.view.w / own.width;
    const perY = this.view.h / own.height;
    this.show({
      ...this.view,
      x: this.view.x + (box.left + box.width / 2 - own.left - own.width / 2) * perX,
      y: this.view.y + (box.top + box.height / 2 - own.top - own.height / 2) * perY,
    });
  }

  private zoom(factor: number, px: number, py: number): void {
    const own = this.el.getBoundingClientRect();
    const x = this.view.x + ((px - own.left) / own.width) * this.view.w;
    const y = this.view.y + ((py - own.top) / own.height) * this.view.h;
    const w = this.view.w * factor;
    if (w < 60 || w > this.home.w * 8 + own.width) return;
    this.move({
      x: x - (x - this.view.x) * factor,
      y: y - (y - this.view.y) * factor,
      w,
      h: this.view.h * factor,
    });
  }

  private listen(): void {
    let drag: { x: number; y: number; moved: boolean } | null = null;
    this.el.addEventListener("pointerdown", (e) => {
      if (e.button === 0) drag = { x: e.clientX, y: e.clientY, moved: false };
    });
    this.el.addEventListener("pointermove", (e) => {
      if (!drag || !(e.buttons & 1)) return;
      const dx = e.clientX - drag.x;
      const dy = e.clientY - drag.y;
      if (!drag.moved && Math.hypot(dx, dy) < 5) return;
      if (!drag.moved) this.el.setPointerCapture(e.pointerId);
      drag = { x: e.clientX, y: e.clientY, moved: true };
      const own = this.el.getBoundingClientRect();
      this.move({
        ...this.view,
        x: this.view.x - (dx / own.width) * this.view.w,
        y: this.view.y - (dy / own.height) * this.view.h,
      });
    });
    this.el.addEventListener("pointerup", (e) => {
      const moved = drag?.moved ?? true;
      drag = null;
      if (moved) return;
      const node = e.target instanceof Element ? e.target.closest<SVGGElement>("g.node") : null;
      this.picked(node ? Number(node.dataset["box"]) : -1);
    });
    this.el.addEventListener(
      "wheel",
      (e) => {
        this.zoom(Math.exp(Math.max(-100, Math.min(100, e.deltaY)) / 300), e.clientX, e.clientY);
        e.preventDefault();
      },
      { passive: false },
    );
    this.el.addEventListener("keydown", (e) => {
      const own = this.el.getBoundingClientRect();
      const [cx, cy] = [own.left + own.width / 2, own.top + own.height / 2];
      const step = 0.1;
      if (e.key === "+" || e.key === "=") this.zoom(1 / 1.3, cx, cy);
      else if (e.key === "-") this.zoom(1.3, cx, cy);
      else if (e.key === "0") {
        this.fit();
        this.moved(0, 0, 0);
      } else if (e.key === "Escape") this.picked(-1);
      else if (e.key === "ArrowLeft") this.move({ ...this.view, x: this.view.x - step * this.view.w });
      else if (e.key === "ArrowRight") this.move({ ...this.view, x: this.view.x + step * this.view.w });
      else if (e.key === "ArrowUp") this.move({ ...this.view, y: this.view.y - step * this.view.h });
      else if (e.key === "ArrowDown") this.move({ ...this.view, y: this.view.y + step * this.view.h });
      else return;
      e.preventDefault();
    });
  }
}
