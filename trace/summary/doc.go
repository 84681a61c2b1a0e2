// Package summary summarizes a trace or a window of it.
//
// Data flow: goroutines are grouped by the function that they run; their spans, from an index, are
// summed by state, each cut at the window's ends, and the length of each goes to a histogram.
// [Groups] groups them in other ways, and [Goroutines] selects some of them. Processors, ranges of
// the garbage collector, metrics, tasks and regions come from the index's streams.
//
// Times are equal to those of `go tool trace`. A Summary belongs to the caller.
package summary
