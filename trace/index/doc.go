// Package index stores an execution trace in a form from which any window of it can be drawn at
// once.
//
// Data flow:
//
//  1. [Build] reads a trace once, front to back, and writes an index: spans of goroutines in slices
//     of some thousands, sums of these in larger and larger tiles, streams of everything else, and
//     tables of what is where. docs/formats/trace-index.md draws the format.
//  2. [Open] reads the tables.
//  3. [Index] answers queries for windows from the slices or tiles that it needs: rows of
//     goroutines ([Index.Rows]), processors, threads and names; spans ([Index.Spans]) and records
//     ([Index.Records]) one by one.
//
// Building takes the memory of one generation of the trace, of the goroutines that are alive, and
// of the tables; all of it is bounded, and a trace that exceeds a bound ends there. An Index is
// safe for concurrent use.
//
// The package only queries: internal/trace/indexer follows the events of a trace, and
// internal/trace/indexfile lays out bytes. It does not know requests, pages or profiles: others
// derive them from spans.
package index
