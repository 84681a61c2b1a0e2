import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

/**
 * A list of any length of which only the rows in view are elements. Rows have one height. The keys
 * up and down move the current row; Enter opens it.
 */
export function VirtualList<T>(props: {
  label: string;
  items: readonly T[];
  row: number; // height, in pixels
  current: number; // -1: none
  open: (item: T) => void;
  render: (item: T, index: number) => ComponentChildren;
  head?: ComponentChildren;
}): JSX.Element {
  const { items, row, current } = props;
  const ref = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 600 });
  const [at, setAt] = useState(-1);
  useEffect(() => {
    const el = ref.current!;
    const look = () => setView({ top: el.scrollTop, height: el.clientHeight });
    const sizes = new ResizeObserver(look);
    sizes.observe(el);
    el.addEventListener("scroll", look, { passive: true });
    return () => {
      sizes.disconnect();
      el.removeEventListener("scroll", look);
    };
  }, []);
  const reveal = (i: number) => {
    const el = ref.current;
    if (!el || i < 0) return;
    if (i * row < el.scrollTop) el.scrollTop = i * row;
    else if ((i + 1) * row > el.scrollTop + el.clientHeight) el.scrollTop = (i + 1) * row - el.clientHeight;
  };
  useEffect(() => {
    setAt(current);
    reveal(current);
  }, [current, items]);
  const first = Math.max(0, Math.floor(view.top / row) - 4);
  const last = Math.min(items.length, Math.ceil((view.top + view.height) / row) + 4);
  const key = (e: KeyboardEvent) => {
    const page = Math.max(1, Math.floor(view.height / row) - 1);
    const to = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      PageDown: at + page,
      PageUp: at - page,
      Home: 0,
      End: items.length - 1,
    }[e.key];
    if (to !== undefined) {
      const next = Math.max(0, Math.min(items.length - 1, to));
      setAt(next);
      reveal(next);
    } else if (e.key === "Enter" && items[at] !== undefined) props.open(items[at]!);
    else return;
    e.preventDefault();
    e.stopPropagation();
  };
  return (
    <div class="virtual" ref={ref}>
      <div
        class="virtual-all"
        role="listbox"
        aria-label={props.label}
        tabIndex={0}
        aria-activedescendant={at >= first && at < last ? `${props.label}-${at}`.replace(/\s/g, "-") : undefined}
        style={{ height: `${items.length * row}px` }}
        onKeyDown={key}
      >
        {items.slice(first, last).map((item, k) => {
          const i = first + k;
          return (
            <div
              key={i}
              id={`${props.label}-${i}`.replace(/\s/g, "-")}
              role="option"
              aria-selected={i === current}
              aria-setsize={items.length}
              aria-posinset={i + 1}
              class={`virtual-row ${i === at ? "at" : ""}`}
              style={{ top: `${i * row}px`, height: `${row}px` }}
              onClick={() => props.open(item)}
            >
              {props.render(item, i)}
            </div>
          );
        })}
      </div>
    </div>
  );
}
