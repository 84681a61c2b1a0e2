/** Actions of the pointer in the timeline. */
export interface PointerDeeds {
  hover(e: PointerEvent | null): void;
  /** A press without a move. */
  click(e: PointerEvent): void;
  /** Moves the picture by a number of pixels. */
  drag(dx: number, dy: number): void;
  /** A range of pixels is being selected, between two heights in the window; done at the end. */
  select(from: number, to: number, done: boolean, y0: number, y1: number): void;
  /** Shows `factor` times as much around a fixed pixel. */
  zoom(factor: number, x: number): void;
}

/** The movement in pixels up to which a press is a click. */
const still = 4;

/**
 * Distinguishes clicks, drags, selections (with Shift), pinches with two fingers and wheels. Wheels zoom
 * with Ctrl, as pinches on touchpads arrive, and without it if `free`; sideways they pan.
 */
export function listen(el: HTMLElement, free: () => boolean, deeds: PointerDeeds): void {
  const down = new Map<number, PointerEvent>();
  let begin: PointerEvent | null = null;
  let moved = false;
  let selecting = false;
  const xOf = (e: PointerEvent | WheelEvent) => e.clientX - el.getBoundingClientRect().left;
  const spread = () => {
    const [a, b] = [...down.values()];
    return { far: Math.max(Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY), 10), x: (xOf(a) + xOf(b)) / 2 };
  };

  el.addEventListener("pointerdown", (e) => {
    if (e.button !== 0) return;
    down.set(e.pointerId, e);
    el.setPointerCapture(e.pointerId);
    if (down.size === 1) {
      begin = e;
      moved = false;
      selecting = e.shiftKey;
    }
  });
  el.addEventListener("pointermove", (e) => {
    const last = down.get(e.pointerId);
    if (!last || !begin) {
      if (e.pointerType !== "touch") deeds.hover(e);
      return;
    }
    if (down.size === 2) {
      const before = spread();
      down.set(e.pointerId, e);
      const after = spread();
      moved = true;
      deeds.zoom(before.far / after.far, after.x);
      deeds.drag(after.x - before.x, 0);
      return;
    }
    down.set(e.pointerId, e);
    moved ||= Math.hypot(e.clientX - begin.clientX, e.clientY - begin.clientY) > still;
    if (!moved) return;
    deeds.hover(null);
    if (selecting) deeds.select(xOf(begin), xOf(e), false, begin.clientY, e.clientY);
    else {
      el.classList.add("dragging");
      deeds.drag(e.clientX - last.clientX, e.clientY - last.clientY);
    }
  });
  const up = (e: PointerEvent) => {
    if (!down.delete(e.pointerId) || down.size > 0) return;
    el.classList.remove("dragging");
    if (begin && selecting && moved) deeds.select(xOf(begin), xOf(e), e.type === "pointerup", begin.clientY, e.clientY);
    else if (begin && !moved && e.type === "pointerup") deeds.click(e);
    begin = null;
  };
  el.addEventListener("pointerup", up);
  el.addEventListener("pointercancel", up);
  el.addEventListener("pointerleave", () => deeds.hover(null));
  el.addEventListener(
    "wheel",
    (e) => {
      const unit = e.deltaMode === 1 ? 16 : e.deltaMode === 2 ? 400 : 1;
      const [dx, dy] = e.shiftKey && e.deltaX === 0 ? [e.deltaY * unit, 0] : [e.deltaX * unit, e.deltaY * unit];
      if (e.ctrlKey || e.metaKey || (free() && Math.abs(dy) > Math.abs(dx))) {
        e.preventDefault();
        deeds.zoom(
          Math.exp(Math.min(Math.max(dy, -300), 300) * (e.ctrlKey && Math.abs(dy) < 40 ? 0.01 : 0.0025)),
          xOf(e),
        );
      } else if (Math.abs(dx) > Math.abs(dy)) {
        e.preventDefault();
        deeds.drag(-dx, 0);
      }
    },
    { passive: false },
  );
}
