// Package summary says what a trace, or a window of it, holds in all.
//
// Data flow: goroutines are put together by the function that they run; their spans, from an index,
// are added up by state, each cut at the window's ends, and the length of each goes to a histogram.
// [Groups] puts them together otherwise, and [Singles] picks some of them. Processors, ranges of
// the garbage collector, metrics, tasks and regions come from the index's streams.
//
// Times are equal to those of `go tool trace`. A Summary belongs to the caller.
package summary
