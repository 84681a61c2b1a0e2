// Package index keeps an execution trace in a form that any window of it can be drawn from at once.
//
// Data flow:
//
//  1. [Build] reads a trace once, front to back: golang.org/x/exp/trace decodes and orders the events
//     on one goroutine, behind a guard that ends what would need too much memory; another follows each
//     goroutine of the trace through its states. A stay in one state is a [Span].
//  2. Spans that have ended are collected, in the order of their ends, and written as a slice whenever
//     there are some thousands: by goroutine, so that a row is read without its neighbours. Slices are
//     summed up in tiles of four, those in larger tiles, and so on: the levels of detail.
//  3. What is not a state of a goroutine (metrics, ranges of the collector, processors and threads,
//     tasks, regions, logs, CPU samples) goes to streams beside them, in blocks that know their time.
//  4. The tables come last: stacks, strings, kinds of goroutines with what they did in all, where
//     everything lies. A file without them is no index. docs/formats/trace-index.md draws the format.
//  5. [Open] reads the tables; [Index] answers for windows with what slices or tiles are needed.
//
// Memory while building is that of one generation of the trace, of the goroutines that are alive, and
// of the tables, which have some 300 bytes for each 8192 spans; what else grows with the trace's length is
// in a temporary file. All of it is bounded, and a trace that goes beyond ends there. Traces of Go 1.21 and
// earlier are in memory whole. An Index may be used by several goroutines.
//
// The package does not know requests, pages or profiles: others make them of spans.
package index
