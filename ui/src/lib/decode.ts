import type { FlameDoc, Fact } from "../api/flame.ts";
import { frameCosts, type FrameCosts } from "./reshape.ts";
import { ALL, REST, makeTree, type Tree } from "./tree.ts";

/** The origin of a frame's code; the numbers are those of flame.Kind. */
export const enum Kind {
  Unknown = 0,
  Own = 1,
  Std = 2,
  Dependency = 3,
}

export interface Frame {
  readonly name: string;
  readonly pkg: string;
  readonly file: string;
  readonly line: number; // 0 when unknown
  readonly kind: Kind;
}

export interface View {
  readonly type: string;
  readonly unit: string;
  readonly total: number; // 100% for shares
  readonly left: number; // subtrees left out for size
  readonly tree: Tree;
  readonly signed: boolean; // has negative values
  readonly ordered: boolean; // siblings are in the order of time
  readonly costs: FrameCosts; // of whole functions
}

export interface Page {
  readonly title: string;
  readonly facts: Fact[];
  readonly notes: string[];
  readonly frames: Frame[];
  readonly views: View[];
}

/** Decodes the inflated output of internal/report/pictures/flame_encode.go. */
export function decode(data: Uint8Array): Page {
  const length = new DataView(data.buffer, data.byteOffset, data.byteLength).getUint32(0, true);
  if (4 + length > data.length) throw new Error("the page's data is truncated");
  const doc = JSON.parse(new TextDecoder().decode(data.subarray(4, 4 + length))) as FlameDoc;
  if (doc.schema !== "whet.flame-page/1") throw new Error(`the page's data is ${doc.schema}, not whet.flame-page/1`);
  const r = new Reader(data, 4 + length);

  const names = r.column(doc.frames, zigzag);
  for (let i = 1; i < names.length; i++) names[i] += names[i - 1];
  const pkgs = r.column(doc.frames);
  const files = r.column(doc.frames);
  const lines = r.column(doc.frames);
  const kinds = r.column(doc.frames);
  const frames: Frame[] = new Array(doc.frames);
  for (let i = 0; i < doc.frames; i++) {
    frames[i] = {
      name: doc.strings[names[i]] ?? "",
      pkg: doc.strings[pkgs[i]] ?? "",
      file: doc.strings[files[i]] ?? "",
      line: lines[i],
      kind: kinds[i],
    };
  }

  const views = doc.views.map((head): View => {
    const n = head.nodes + 1;
    const ups = r.column(head.nodes);
    const ids = r.column(head.nodes);
    const values = r.column(head.nodes, zigzag);
    const rests = r.column(head.rests);
    const parent = new Int32Array(n);
    const frame = new Int32Array(n);
    const value = new Float64Array(n);
    const rest = new Int32Array(n);
    parent[0] = -1;
    frame[0] = ALL;
    value[0] = head.self;
    let signed = head.self < 0;
    for (let i = 1, k = 0; i < n; i++) {
      let p = i - 1;
      for (let up = ups[i - 1]; up > 0 && p >= 0; up--) p = parent[p];
      if (p < 0 || ids[i - 1] > frames.length) throw new Error(`the page's data is damaged at node ${i}`);
      parent[i] = p;
      value[i] = values[i - 1];
      signed ||= value[i] < 0;
      if (ids[i - 1] === 0) {
        frame[i] = REST;
        rest[i] = rests[k++];
      } else {
        frame[i] = ids[i - 1] - 1;
      }
    }
    const tree = makeTree(parent, frame, value, rest);
    const at = r.column(head.weights, zigzag);
    const selfs = r.column(head.weights, zigzag);
    const totals = r.column(head.weights, zigzag);
    let costs: FrameCosts;
    if (head.weights === 0) {
      costs = frameCosts(tree, frames.length);
    } else {
      const self = new Float64Array(frames.length);
      const total = new Float64Array(frames.length);
      let left = tree.total[0];
      for (let i = 0, f = 0; i < at.length; i++) {
        f += at[i];
        self[f] = selfs[i];
        total[f] = totals[i];
        left -= selfs[i];
      }
      costs = { self, total, left };
    }
    return {
      costs,
      type: head.type,
      unit: head.unit,
      total: Math.abs(head.total) || tree.mass[0],
      left: head.left,
      tree,
      signed,
      ordered: head.ordered,
    };
  });
  return { title: doc.title, facts: doc.facts, notes: doc.notes, frames, views };
}

/** Decodes Go's signed varints. In floating point: values may exceed 32 bits. */
function zigzag(u: number): number {
  return u % 2 === 0 ? u / 2 : -(u + 1) / 2;
}

class Reader {
  constructor(
    private readonly data: Uint8Array,
    private at: number,
  ) {}

  column(n: number, map?: (u: number) => number): Float64Array {
    const out = new Float64Array(n);
    for (let i = 0; i < n; i++) {
      const u = this.uvarint();
      out[i] = map ? map(u) : u;
    }
    return out;
  }

  private uvarint(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      if (this.at >= this.data.length) throw new Error("the page's data is truncated");
      const b = this.data[this.at++];
      value += (b & 127) * scale;
      if (b < 128) return value;
    }
  }
}

/** Decodes base64 and gzip. */
export async function inflate(base64: string): Promise<Uint8Array> {
  const text = atob(base64.trim());
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return gunzip(bytes);
}

/** Decodes gzip. */
export async function gunzip(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(plain).arrayBuffer());
}
