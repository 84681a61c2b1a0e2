// Package sequence makes flame graphs of the CPU samples of an execution trace, in the order of their
// times. A CPU profile has no times; a trace that was taken with one has its samples with them.
//
// Data flow: [New] reads the samples from an index of the trace, keeps the frames that the filters of
// a view of the profile keep, and has [flame.Sequence] make one box of equal calls that follow each
// other. The result is read-only and holds nothing of the index. The package neither opens nor draws
// anything.
package sequence
