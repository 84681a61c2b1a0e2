// Package export writes comparisons of benchmarks for other tools: [CSV] for spreadsheets, and
// [Benchstat] and [BenchstatCSV] for programs that read what benchstat writes.
//
// Each function makes one pass over a bench.Comparison. Control characters in names are replaced.
// The package holds no state.
package export
