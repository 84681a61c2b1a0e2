/** Rows of a timeline as a picture: what each does in a window. No DOM. */
import type { State } from "../api/timeline.ts";
import { overlapping, type LaneData } from "./lane.ts";
import { duration, exactTime, type Stretch } from "./timescale.ts";
import type { SvgPen } from "./svg.ts";

/** A row of the picture. */
export interface Lane {
  readonly name: string;
  readonly data: LaneData | undefined;
}

/** Where things are, in pixels. */
const margin = 16;
const names = 260;
const time = 1200;
const head = 44;
const rowHeight = 22;

/** Rows below each other, with their names. color gives the color of a state; of several at once, the longest one's. */
export function lanesSvg(
  title: string,
  lanes: readonly Lane[],
  states: readonly State[],
  w: Stretch,
  pen: SvgPen,
  color: (s: State | undefined) => string,
  ink: string,
): string {
  const left = margin + names;
  const x = (at: number) => left + ((Math.min(Math.max(at, w.from), w.to) - w.from) / (w.to - w.from)) * time;
  pen.font = "12px system-ui, sans-serif";
  pen.fillStyle = ink;
  pen.fillText(title, margin, margin + 4);
  pen.fillText(exactTime(w.from), left, margin + 18);
  pen.anchor = "end";
  pen.fillText(exactTime(w.to), left + time, margin + 18);
  pen.anchor = "start";
  lanes.forEach(({ name, data }, i) => {
    const y = head + i * rowHeight;
    pen.fillStyle = ink;
    pen.fillText(name.length > 38 ? `${name.slice(0, 37)}…` : name, margin, y + 10);
    if (!data) return;
    const draw = (from: number, to: number, state: number) => {
      const s = states[state];
      pen.fillStyle = color(s);
      pen.name(`${name}: ${s?.name ?? ""} ${duration(to - from)}`);
      pen.fillRect(x(from), y, Math.max(x(to) - x(from), 0.3), rowHeight - 4);
    };
    overlapping(data.spans, data.reach, w, ([from, to, state]) => draw(from, to, state));
    overlapping(data.parts, 0, w, (p) => draw(p[0], p[1], longest(p)));
  });
  return pen.toString(left + time + margin, head + lanes.length * rowHeight + margin, title);
}

/** The state that most of a part is in; -1 if it is in none. */
function longest(p: readonly number[]): number {
  let [state, most] = [-1, 0];
  for (let k = 2; k + 1 < p.length; k += 2) if (p[k + 1]! > most) [state, most] = [p[k]!, p[k + 1]!];
  return state;
}
