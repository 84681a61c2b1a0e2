/** Frame index of a root, which represents everything. */
export const ALL = -1;
/** Frame index of a node that sums siblings left out to limit the size. */
export const REST = -2;

/**
 * A call tree as columns. Node 0 is the root; a parent comes before its
 * children. Values may be negative: the profile may be a difference.
 */
export interface Tree {
  readonly n: number;
  readonly parent: Int32Array; // -1 for the root
  readonly frame: Int32Array; // or ALL, REST
  readonly value: Float64Array; // what the node weighs without its children
  readonly total: Float64Array; // value and the children's totals
  readonly mass: Float64Array; // same of absolute values: the width of the box
  readonly depth: Int32Array;
  readonly rest: Int32Array; // how many subtrees a REST node stands for
}

/**
 * Completes a tree from its columns. ownMass is a node's own share of the mass
 * where it is not |value|: where value is itself a sum that may have canceled.
 */
export function makeTree(
  parent: Int32Array,
  frame: Int32Array,
  value: Float64Array,
  rest: Int32Array,
  ownMass?: Float64Array,
): Tree {
  const n = parent.length;
  const total = Float64Array.from(value);
  const mass = ownMass ? Float64Array.from(ownMass) : value.map(Math.abs);
  const depth = new Int32Array(n);
  for (let i = n - 1; i > 0; i--) {
    total[parent[i]] += total[i];
    mass[parent[i]] += mass[i];
  }
  for (let i = 1; i < n; i++) depth[i] = depth[parent[i]] + 1;
  return { n, parent, frame, value, total, mass, depth, rest };
}

/** Grows a tree in which children of one node with the same frame are one. */
export class TreeBuilder {
  private readonly parent: number[] = [-1];
  private readonly frame: number[];
  private readonly value: number[] = [0];
  private readonly mass: number[] = [0];
  private readonly rest: number[] = [0];
  // Nodes by parent and frame: a hash table with open addressing, at most half
  // full. A Map of numbers is several times slower here.
  private slots = new Int32Array(1024);

  constructor(root: number) {
    this.frame = [root];
  }

  get size(): number {
    return this.parent.length;
  }

  /** The child of node at with the given frame; made if need be and make is set, else -1. */
  child(at: number, frame: number, make = true): number {
    const slot = this.slot(at, frame);
    if (this.slots[slot] !== 0) return this.slots[slot];
    if (!make) return -1;
    const k = this.parent.length;
    this.slots[slot] = k;
    this.parent.push(at);
    this.frame.push(frame);
    this.value.push(0);
    this.mass.push(0);
    this.rest.push(0);
    if (2 * k > this.slots.length) {
      this.slots = new Int32Array(2 * this.slots.length);
      for (let i = 1; i <= k; i++) this.slots[this.slot(this.parent[i], this.frame[i])] = i;
    }
    return k;
  }

  private slot(at: number, frame: number): number {
    const mask = this.slots.length - 1;
    let h = Math.imul(at, 0x9e3779b1) ^ Math.imul(frame + 3, 0x85ebca6b);
    h ^= h >>> 15;
    for (let slot = h & mask; ; slot = (slot + 1) & mask) {
      const k = this.slots[slot];
      if (k === 0 || (this.parent[k] === at && this.frame[k] === frame)) return slot;
    }
  }

  add(at: number, value: number, mass: number, rest = 0): void {
    this.value[at] += value;
    this.mass[at] += mass;
    this.rest[at] += rest;
  }

  finish(): Tree {
    return makeTree(
      Int32Array.from(this.parent),
      Int32Array.from(this.frame),
      Float64Array.from(this.value),
      Int32Array.from(this.rest),
      Float64Array.from(this.mass),
    );
  }
}

/** The nodes from the root's child down to node i. */
export function pathOf(parent: Int32Array, i: number): number[] {
  const path: number[] = [];
  for (; i > 0; i = parent[i]) path.push(i);
  return path.reverse();
}
