import type { BenchPagePairs } from "../api/bench.ts";
import { axisRange, percentChange, runningMedian, ticks } from "../lib/bench.ts";
import { benchTexts } from "../texts/bench.ts";
import { prepare, ring, type Spot } from "./strip.ts";

const { t } = benchTexts;

export const pairsHeight = 128;

/**
 * Draws the ratios of pairs of rounds over their order in time: the band is the interval of the
 * ratio, the wavy line the running median, which shows drift. Returns where the
 * points are.
 */
export function drawPairs(canvas: HTMLCanvasElement, width: number, pairs: BenchPagePairs, mark: Spot | null): Spot[] {
  const pen = prepare(canvas, width, pairsHeight);
  if (!pen) return [];
  const { g, color } = pen;
  const n = pairs.ratios.length;
  const range = axisRange([
    { values: pairs.ratios, center: pairs.ratio, bounded: pairs.bounded, low: pairs.low, high: pairs.high },
    { values: [], center: 1, bounded: false, low: 0, high: 0 },
  ]);
  const left = 68;
  const bottom = pairsHeight - 20;
  const y = (v: number) => 5 + (1 - (v - range.low) / (range.high - range.low)) * (bottom - 10);
  const x = (i: number) => left + ((i + 0.5) / n) * (width - left - 8);

  g.textBaseline = "middle";
  g.textAlign = "right";
  const percents = ticks({ low: range.low - 1, high: range.high - 1 }, 5);
  for (const v of percents) {
    g.strokeStyle = color("--line");
    g.beginPath();
    g.moveTo(left, Math.round(y(1 + v)) + 0.5);
    g.lineTo(width - 8, Math.round(y(1 + v)) + 0.5);
    g.stroke();
    g.fillStyle = color("--quiet");
    g.fillText(v === 0 ? t("pair.same") : percentChange(v, percents), left - 5, y(1 + v));
  }
  g.strokeStyle = color("--quiet");
  g.setLineDash([5, 4]);
  g.beginPath();
  g.moveTo(left, y(1));
  g.lineTo(width - 8, y(1));
  g.stroke();
  g.setLineDash([]);
  g.textBaseline = "top";
  g.textAlign = "center";
  g.fillStyle = color("--quiet");
  for (const i of ticks({ low: 1, high: n }, Math.max(2, Math.floor(width / 110)))) {
    if (Number.isInteger(i)) g.fillText(t("pair.axis", { i }), Math.min(x(i - 1), width - 24), bottom + 4);
  }

  const ink = color("--series-2");
  if (pairs.bounded) {
    g.fillStyle = ink;
    g.globalAlpha = 0.22;
    g.fillRect(left, y(pairs.high), width - left - 8, Math.max(y(pairs.low) - y(pairs.high), 1));
    g.globalAlpha = 1;
  }
  const spots: Spot[] = [];
  g.fillStyle = ink;
  g.globalAlpha = n > 400 ? 0.4 : 0.65;
  pairs.ratios.forEach((v, index) => {
    const at = Math.min(Math.max(y(v), 3), bottom - 3);
    const out = v < range.low ? -4 : v > range.high ? 4 : 0;
    g.beginPath();
    if (out !== 0) {
      g.moveTo(x(index) - 4, at + out / 2);
      g.lineTo(x(index), at - out / 2);
      g.lineTo(x(index) + 4, at + out / 2);
    } else {
      g.arc(x(index), at, n > 200 ? 1.8 : 2.6, 0, 7);
    }
    g.fill();
    spots.push({ x: x(index), y: at, lane: 0, index });
  });
  g.globalAlpha = 1;
  g.strokeStyle = ink;
  g.lineWidth = 2;
  g.beginPath();
  runningMedian(pairs.ratios, Math.max(5, Math.ceil(n / 8))).forEach((v, i) => {
    const at = Math.min(Math.max(y(v), 2), bottom - 2);
    if (i === 0) g.moveTo(x(i), at);
    else g.lineTo(x(i), at);
  });
  g.stroke();
  g.lineWidth = 1;
  g.fillStyle = color("--text");
  g.fillRect(left, y(pairs.ratio) - 1, width - left - 8, 2);
  const at = mark && spots[mark.index];
  if (at) ring(g, at, color("--ring"));
  return spots;
}
