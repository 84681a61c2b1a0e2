// Package results reads files with results of measurements: benchmarks, and what `whet find`, `whet fix` and `whet
// prove` write with --json.
//
// Data flow:
//
//  1. A Reader reads a file of its files.Set whole, up to a limit, and decodes it by its schema. Files may be from
//     anywhere: what contradicts itself is an error.
//  2. Bench is what a file has about benchmarks; Against compares the results of two files as `whet bench compare`
//     does. WritePage writes either as a self-contained page.
//  3. An About is one line about a file, for lists.
//
// Readers have no state and are safe for concurrent use.
package results // import "github.com/whet-go/whet/internal/server/results"
