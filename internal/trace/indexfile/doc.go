// Package indexfile is the file format of trace/index: how blocks, and the structures in them, are
// encoded and decoded.
//
// Data flow:
//
//  1. A [Writer] writes blocks one after the other and returns a [Ref] to each.
//  2. Each kind of block has a function that appends it to a buffer, next to the one that decodes
//     it: slices of spans ([AppendRun], [Directory]), rows of tiles ([AppendRows], [EachRow]),
//     records of streams ([Records]), records of goroutines ([Goroutines]).
//  3. [Tables] hold what is in memory while an index is open, with the references to all blocks.
//     They come last; a file without them is not an index.
//  4. [ReadTables] and [ReadBlock] check sums and lengths. Everything that is decoded is untrusted:
//     damage is reported, and no length is trusted beyond the bytes that are there.
//
// The package knows neither events nor queries: internal/trace/indexer decides what is written, and
// trace/index what is read. docs/formats/trace-index.md draws the format.
package indexfile
