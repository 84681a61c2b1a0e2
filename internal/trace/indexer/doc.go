// Package indexer writes the index of an execution trace: it follows the events from front to back
// and writes what trace/index reads.
//
// Data flow:
//
//  1. [Write] gets the events from internal/trace/reader, which decodes and orders them on one
//     goroutine; another follows each goroutine of the trace through its states. A stay in one
//     state is a [model.Span].
//  2. Spans that have ended are collected, in the order of their ends, and written as a slice once
//     there are some thousands: by goroutine, so that a row can be read without its neighbors.
//     Slices are summed in tiles of four, those in larger tiles, and so on: the levels of detail.
//  3. Everything that is not a state of a goroutine (metrics, ranges of the garbage collector,
//     processors and threads, tasks, regions, logs, CPU samples) goes to separate streams, in
//     blocks that have their time.
//  4. Goroutines that have ended leave a record with their totals and the numbers of their slices.
//  5. The tables come last: stacks, strings, kinds of goroutines with their totals, and where
//     everything is.
//
// Writing takes the memory of one generation of the trace, of the goroutines that are alive, and of
// the tables, about 300 bytes for each 8192 spans; other data that grows with the trace's length is
// in a temporary file. All of it is bounded, and a trace that exceeds a bound ends there. Traces of
// Go 1.21 and earlier are held in memory whole.
//
// The package does not know how bytes are laid out: internal/trace/indexfile does.
package indexer
