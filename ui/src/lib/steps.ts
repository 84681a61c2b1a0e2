type Point = readonly [x: number, y: number];

/** The corners of a line through points: straight (0), or in steps at the next (1) or the previous (-1) point's x. */
export function steps(points: readonly Point[], align: -1 | 0 | 1): readonly Point[] {
  if (align === 0) return points;
  return points.flatMap((p, i): Point[] => {
    const before = points[i - 1];
    if (!before) return [p];
    return align === 1 ? [[p[0], before[1]], p] : [[before[0], p[1]], p];
  });
}
