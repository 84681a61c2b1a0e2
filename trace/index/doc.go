// Package index stores an execution trace in a form from which any window of it can be drawn at
// once.
//
// Data flow:
//
//  1. [Build] reads a trace once, front to back: golang.org/x/exp/trace decodes and orders the
//     events on one goroutine, behind a guard that stops what would need too much memory; another
//     goroutine follows each goroutine of the trace through its states. A stay in one state is a
//     [Span].
//  2. Spans that have ended are collected, in the order of their ends, and written as a slice once
//     there are some thousands: by goroutine, so that a row can be read without its neighbours.
//     Slices are summed in tiles of four, those in larger tiles, and so on: the levels of detail.
//  3. Everything that is not a state of a goroutine (metrics, ranges of the garbage collector,
//     processors and threads, tasks, regions, logs, CPU samples) goes to separate streams, in
//     blocks that have their time.
//  4. The tables come last: stacks, strings, kinds of goroutines with their totals, and where
//     everything is. A file without them is not an index. docs/formats/trace-index.md draws the
//     format.
//  5. [Open] reads the tables; [Index] answers queries for windows from the slices or tiles that it
//     needs.
//
// Building takes the memory of one generation of the trace, of the goroutines that are alive, and
// of the tables, about 300 bytes for each 8192 spans; other data that grows with the trace's length
// is in a temporary file. All of it is bounded, and a trace that exceeds a bound ends there. Traces
// of Go 1.21 and earlier are held in memory whole. An Index is safe for concurrent use.
//
// The package does not know requests, pages or profiles: others derive them from spans.
package index
