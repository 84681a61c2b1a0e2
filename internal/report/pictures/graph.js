// Moves about in a drawing by Graphviz: drag, wheel, + - 0 and the arrows; a
// click on a box leaves only it, its callers and its callees in full color.
"use strict";
(() => {
  const svg = document.documentElement;
  if (!svg.viewBox || !svg.viewBox.baseVal) return;
  const view = svg.viewBox.baseVal;
  const home = [view.x, view.y, view.width, view.height];
  // Without a script the drawing has its natural size; with one it fills the window.
  svg.setAttribute("width", "100%");
  svg.setAttribute("height", "100%");
  svg.style.cursor = "grab";
  svg.style.touchAction = "none";
  svg.style.userSelect = "none";

  const show = (x, y, w, h) => svg.setAttribute("viewBox", [x, y, w, h].join(" "));
  // A small drawing is not blown up beyond its natural size.
  const reset = () => {
    const w = Math.max(home[2], svg.clientWidth * 0.75);
    const h = Math.max(home[3], svg.clientHeight * 0.75);
    show(home[0] - (w - home[2]) / 2, home[1] - (h - home[3]) / 2, w, h);
  };
  const at = (x, y) => new DOMPoint(x, y).matrixTransform(svg.getScreenCTM().inverse());
  const zoom = (factor, x, y) => {
    const w = view.width * factor;
    if (w < home[2] / 500 || w > Math.max(home[2], svg.clientWidth) * 5) return;
    const p = at(x, y);
    show(p.x + (view.x - p.x) * factor, p.y + (view.y - p.y) * factor, w, view.height * factor);
  };
  const move = (dx, dy) => show(view.x + dx, view.y + dy, view.width, view.height);

  // Edges by the names of their ends: a title is "N1->N2".
  const nodes = new Map();
  const edges = [];
  for (const g of svg.querySelectorAll("g.node, g.edge")) {
    const title = g.querySelector("title");
    if (!title) continue;
    if (g.classList.contains("node")) nodes.set(title.textContent, g);
    else edges.push([g, ...title.textContent.split("->")]);
  }
  const focus = (name) => {
    const near = new Set([name]);
    for (const [g, from, to] of edges) {
      const touches = from === name || to === name;
      if (touches) near.add(from).add(to);
      g.style.opacity = name === null || touches ? "" : "0.12";
    }
    for (const [id, g] of nodes) g.style.opacity = name === null || near.has(id) ? "" : "0.2";
  };

  let drag = null;
  svg.addEventListener("pointerdown", (e) => {
    if (e.button === 0) drag = { x: e.clientX, y: e.clientY, moved: false };
  });
  svg.addEventListener("pointermove", (e) => {
    if (!drag || !(e.buttons & 1)) return;
    const far = Math.abs(e.clientX - drag.x) + Math.abs(e.clientY - drag.y) > 4;
    if (!drag.moved && !far) return;
    if (!drag.moved) svg.setPointerCapture(e.pointerId);
    drag.moved = true;
    const a = at(drag.x, drag.y);
    const b = at(e.clientX, e.clientY);
    move(a.x - b.x, a.y - b.y);
    drag.x = e.clientX;
    drag.y = e.clientY;
  });
  svg.addEventListener("pointerup", (e) => {
    if (drag && !drag.moved) {
      const box = e.target.closest("g.node");
      focus(box ? box.querySelector("title").textContent : null);
    }
    drag = null;
  });
  svg.addEventListener("wheel", (e) => {
    e.preventDefault();
    const pixels = e.deltaMode === 1 ? e.deltaY * 20 : e.deltaY;
    zoom(Math.exp(Math.max(-200, Math.min(200, pixels)) / 400), e.clientX, e.clientY);
  }, { passive: false });
  svg.addEventListener("dblclick", reset);
  addEventListener("resize", reset);
  addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const step = view.width / 10;
    const keys = {
      "+": () => zoom(0.8, innerWidth / 2, innerHeight / 2),
      "=": () => zoom(0.8, innerWidth / 2, innerHeight / 2),
      "-": () => zoom(1.25, innerWidth / 2, innerHeight / 2),
      "0": reset,
      Escape: () => focus(null),
      ArrowLeft: () => move(-step, 0),
      ArrowRight: () => move(step, 0),
      ArrowUp: () => move(0, -step),
      ArrowDown: () => move(0, step),
    };
    if (!(e.key in keys)) return;
    e.preventDefault();
    keys[e.key]();
  });
  reset();
})();
