/** Numbers of benchmarks as golang.org/x/perf/benchunit writes them. No DOM. */

interface Factor {
  factor: number;
  prefix: string;
  // From these values on, 1, 2 and 3 digits follow the decimal point.
  t100: number;
  t10: number;
  t1: number;
}

const si: Factor[] = ["T", "G", "M", "k", "", "m", "µ", "n"].map((prefix, i) => {
  const e = 12 - 3 * i;
  return {
    factor: Number(`1e${e}`),
    prefix,
    t100: Number(`99.995e${e}`),
    t10: Number(`9.9995e${e}`),
    t1: Number(`.99995e${e}`),
  };
});

// The parts of these decimal numbers that a binary one of 13 digits keeps.
const iec: Factor[] = ["Ti", "Gi", "Mi", "Ki", ""].map((prefix, i) => {
  const e = 40 - 10 * i;
  return {
    factor: 2 ** e,
    prefix,
    t100: (0x18ffae147ae148 / 2 ** 52) * 2 ** (6 + e),
    t10: (0x13ffbe76c8b439 / 2 ** 52) * 2 ** (3 + e),
    t1: (0x1fff972474538f / 2 ** 52) * 2 ** (e - 1),
  };
});

const digits = [-1, -2, -3, -4, -5, -6, -7, -8].map((e) => Number(`9.9995e${e}`));

export interface Scale {
  readonly places: number;
  readonly factor: number;
  readonly prefix: string;
}

/** The scale that shows at least three digits of each value. */
export function commonScale(values: readonly number[], binary: boolean): Scale {
  let least = 0;
  for (const v of values) {
    const a = Math.abs(v);
    if (a !== 0 && (least === 0 || a < least)) least = a;
  }
  if (least === 0) return { places: 3, factor: 1, prefix: "" };
  const factors = binary ? iec : si;
  for (const f of factors) {
    if (least >= f.t100) return { places: 1, factor: f.factor, prefix: f.prefix };
    if (least >= f.t10) return { places: 2, factor: f.factor, prefix: f.prefix };
    if (least >= f.t1) return { places: 3, factor: f.factor, prefix: f.prefix };
  }
  const last = factors[factors.length - 1] as Factor;
  const at = digits.findIndex((d) => least / last.factor >= d);
  return { places: (at < 0 ? digits.length - 1 : at) + 3, factor: last.factor, prefix: last.prefix };
}

/** A value in a scale: "123.4M". */
export function format(v: number, s: Scale): string {
  return (v / s.factor).toFixed(s.places) + s.prefix;
}

/** A value with three digits or more: "1.234µ". */
export function scaled(v: number, binary: boolean): string {
  return format(v, commonScale([v], binary));
}

/** Labels of an axis: with the same prefix, and as many digits as the step needs. */
export function axisLabels(ticks: readonly number[], binary: boolean): string[] {
  const most = Math.max(...ticks.map(Math.abs), 0);
  const { factor, prefix } = commonScale([most], binary);
  const step = ticks.length > 1 ? Math.abs((ticks[1] as number) - (ticks[0] as number)) / factor : 1;
  const places = Math.min(Math.max(0, -Math.floor(Math.log10(step) + 1e-9)), 10);
  return ticks.map((t) => {
    const text = (t / factor).toFixed(places);
    return Number(text) === 0 ? "0" : text + prefix;
  });
}
