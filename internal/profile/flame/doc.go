// Package flame computes what flame graphs draw.
//
// Data flow: [Frames] describes the nodes of a profile's views. [Views] makes the trees of all sample
// types, with the costs of whole functions. [Prune] and [Heaviest] keep the largest parts of these
// where all would be too many. A [Sequence] makes the tree of stacks in the order of time. The
// package holds no state and draws nothing.
package flame
