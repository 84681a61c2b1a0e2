import { decode, gunzip, type Page } from "../lib/decode.ts";
import { graft, lacks } from "../lib/graft.ts";
import { initial } from "../lib/hash.ts";
import { findPlace } from "../lib/place.ts";
import { isSaved } from "../api/client.ts";
import { nameOf, place } from "../state/flame.ts";
import { useLoad } from "../state/load.ts";
import { Model } from "../state/model.ts";
import { param } from "../state/route.ts";

/** The places of the boxes whose parts are loaded on their own, from the outside in. */
function places(): string[] {
  return param("at") && param("below") ? param("below").split("\n") : [];
}

/** The box of a place in the call tree; 0 without one. */
function boxOf(model: Model, sample: string, at: string): number {
  const { tree } = model.view({ ...initial, type: sample });
  const boxes = { n: tree.n, parent: tree.parent, w: tree.mass };
  return findPlace(at, boxes, (i) => nameOf(tree, model.page.frames, i));
}

/** Models with one more part, by the model without it, and the part. */
const made = new WeakMap<Model, Map<string, Model>>();

/**
 * The model with the parts that the address names: what was left out of the whole tree for its size. base has the key,
 * and load returns the bytes of the part below a path, which has the names of functions.
 */
export function useDeeper(
  base: Model | null,
  key: string,
  sample: string,
  load: (below: string, signal: AbortSignal) => Promise<Uint8Array<ArrayBuffer>>,
): { model: Model | null; busy: boolean; error: unknown; again: () => void } {
  const wanted = places();
  const loaded = useLoad(JSON.stringify(["below", key, sample, wanted, base !== null]), async (signal) => {
    let model = base;
    for (const at of wanted) {
      if (!model) break;
      const box = boxOf(model, sample, at);
      if (box === 0) break;
      const view = model.view({ ...initial, type: sample });
      const parts: Map<string, Model> = made.get(model) ?? new Map();
      made.set(model, parts);
      let next = parts.get(`${sample}\n${at}`);
      if (!next) {
        const path: string[] = [];
        for (let i = box; i > 0; i = view.tree.parent[i]!) path.push(nameOf(view.tree, model.page.frames, i));
        const part: Page = decode(await gunzip(await load(path.reverse().join("\n"), signal)));
        next = new Model(graft(model.page, view, box, part));
        parts.clear(); // one part is enough to go back and forth
        parts.set(`${sample}\n${at}`, next);
      }
      model = next;
    }
    return { base, model };
  });
  const current = wanted.length > 0 && loaded.value?.base === base;
  return {
    model: current ? loaded.value!.model : base,
    busy: loaded.busy && wanted.length > 0,
    error: wanted.length > 0 ? loaded.error : null,
    again: loaded.again,
  };
}

/** What the address has of the parts when a box of the call tree is zoomed to: those that the box is in. */
export function partsAround(model: Model, sample: string, box: number): string | undefined {
  const { tree } = model.view({ ...initial, type: sample });
  const around = places().filter((at) => {
    const part = boxOf(model, sample, at);
    let i = box;
    while (i > part) i = tree.parent[i]!; // a parent comes before its children
    return part > 0 && i === part;
  });
  return around.join("\n") || undefined;
}

/** The parts that the address needs for all below the box of its place; null if it has all that there is. */
export function missingPart(model: Model, sample: string): string | null {
  const at = param("at");
  if (isSaved() || !at || places().at(-1) === at) return null;
  const { tree } = model.view({ ...initial, type: sample });
  const box = boxOf(model, sample, at);
  // While the part that has the box is still to come, another box of the function takes its place.
  if (box === 0 || place(tree, model.page.frames, box) !== at || !lacks(tree, box)) return null;
  return [partsAround(model, sample, box), at].filter(Boolean).join("\n");
}
