/** A text with the pixels that it may take. */
export interface Label {
  readonly from: number;
  readonly to: number;
  readonly text: string;
  readonly pale: boolean;
}

/** The width in pixels below which a label would show nothing. */
const least = 28;

/**
 * Labels of boxes, sorted by where they begin, cut where the next box begins: boxes of one row may overlap, and their
 * labels must not. Those without space are left out.
 */
export function apart(labels: readonly Label[]): Label[] {
  const out: Label[] = [];
  labels.forEach((l, i) => {
    const next = labels[i + 1];
    const to = next ? Math.min(l.to, next.from) : l.to;
    if (to - l.from > least) out.push(to === l.to ? l : { ...l, to });
  });
  return out;
}
