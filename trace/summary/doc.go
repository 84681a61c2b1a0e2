// Package summary summarizes a trace or a window of it.
//
// Data flow: goroutines are grouped by the function that they run; their spans, from an index, are
// cut at the ends of the window and summed by state, and their lengths are added to a histogram.
// [Groups] groups goroutines in other ways, and [Goroutines] selects some of them. Processors,
// ranges of the garbage collector, metrics, tasks and regions come from the index's streams.
//
// Times are equal to those of `go tool trace`. A Summary belongs to the caller.
package summary
