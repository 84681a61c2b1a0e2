/** Parts of charts, in the address of a page. */

interface Part {
  readonly from: number;
  readonly to: number;
}

/** The parts that an address names, by the number of the chart: #part1=0.5~3. What is no part is left out. */
export function partsOf(hash: string): Map<number, Part> {
  const parts = new Map<number, Part>();
  for (const [key, text] of new URLSearchParams(hash.replace(/^#/, ""))) {
    const chart = Number(/^part([1-9]\d?)$/.exec(key)?.[1]);
    const [from, to, more] = text.split("~").map(Number);
    if (chart > 0 && more === undefined && Number.isFinite(from) && Number.isFinite(to) && from! < to!)
      parts.set(chart, { from: from!, to: to! });
  }
  return parts;
}

/** The address of parts, without #; "" for none. */
export function hashOf(parts: ReadonlyMap<number, Part>): string {
  const digits = (v: number) => String(Number(v.toPrecision(6)));
  return [...parts]
    .sort(([a], [b]) => a - b)
    .map(([chart, { from, to }]) => `part${chart}=${digits(from)}~${digits(to)}`)
    .join("&");
}
