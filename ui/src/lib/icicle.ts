import type { Frame, StackAnswer } from "../api/timeline.ts";

/** A box of a flame graph: a call, with where it is as shares of the width. */
export interface IcicleBox {
  /** "" for the root. */
  readonly name: string;
  /** The call; null for the root and for states. */
  readonly frame: Frame | null;
  readonly depth: number;
  readonly from: number;
  readonly to: number;
  readonly value: number;
}

interface Node {
  readonly name: string;
  readonly frame: Frame | null;
  value: number;
  readonly below: Map<string, Node>;
}

/** The deepest call that is kept: those below are part of it. */
const deepest = 200;

/**
 * The boxes of a flame graph, root first, those of a depth from left to right: the heaviest calls first. Calls narrower
 * than `least`, a share of the width, are left out. Waits end in a box with the name of their state.
 */
export function icicle(a: StackAnswer, stateName: (n: number) => string, least: number): IcicleBox[] {
  const root: Node = { name: "", frame: null, value: 0, below: new Map() };
  for (const s of a.stacks) {
    root.value += s.value;
    let at = root;
    const down = (key: string, name: string, frame: Frame | null) => {
      let next = at.below.get(key);
      if (!next) {
        next = { name, frame, value: 0, below: new Map() };
        at.below.set(key, next);
      }
      next.value += s.value;
      at = next;
    };
    for (let i = s.frames.length - 1; i >= Math.max(0, s.frames.length - deepest); i--) {
      const frame = a.frames[s.frames[i] as number];
      if (frame) down(frame.function, frame.function, frame);
    }
    if (a.by === "wait") down(`state ${s.state}`, stateName(s.state), null);
  }
  const out: IcicleBox[] = [];
  let level: { node: Node; from: number }[] = [{ node: root, from: 0 }];
  for (let depth = 0; level.length > 0; depth++) {
    const next: typeof level = [];
    for (const { node, from } of level) {
      const width = root.value > 0 ? node.value / root.value : 0;
      out.push({ name: node.name, frame: node.frame, depth, from, to: from + width, value: node.value });
      let x = from;
      for (const child of [...node.below.values()].sort((p, q) => q.value - p.value || (p.name < q.name ? -1 : 1))) {
        const w = child.value / root.value;
        if (w >= least) next.push({ node: child, from: x });
        x += w;
      }
    }
    level = next;
  }
  return root.value > 0 ? out : [];
}
