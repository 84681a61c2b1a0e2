// Package index stores an execution trace in a form that lets any window of it be drawn
// immediately.
//
// Data flow:
//
//  1. [Build] reads a trace once, from start to end, and writes an index: spans of goroutines in
//     slices of a few thousand, sums of these in tiles of increasing size, streams of everything
//     else, and tables of where each is. docs/formats/trace-index.md draws the format.
//  2. [Open] reads the tables.
//  3. [Index] answers queries of windows from the slices or tiles that it needs: rows of goroutines
//     ([Index.Rows]), processors, threads and names; single spans ([Index.Spans]) and records
//     ([Index.Records]).
//
// Building takes the memory of one generation of the trace, of the goroutines that are alive, and
// of the tables; all of it is bounded, and a trace that exceeds a bound is indexed up to that
// point. An Index is safe for concurrent use.
//
// The package only queries: internal/trace/indexer follows the events of a trace, and
// internal/trace/indexfile lays out bytes. Other packages derive requests, pages and profiles from
// spans.
package index
