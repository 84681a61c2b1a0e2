// Package bench compares results of Go benchmarks.
//
// Data flow:
//
//  1. [ParseInputs] turns arguments such as "old.txt", "new=results/2.txt" and "-" into inputs with
//     the names of their columns.
//  2. [Compare] reads the inputs in Go's benchmark format
//     (https://go.dev/design/14313-benchmark-format), which is what `go test -bench` prints; other
//     lines, such as those of tests, are skipped.
//  3. Filter and projections, in the syntax of
//     https://pkg.go.dev/golang.org/x/perf/benchproc/syntax, assign each measurement to a table, a
//     row and a column.
//  4. Each cell becomes a center with its confidence interval and, right of the first column, a
//     change with its p value. The statistics are those of golang.org/x/perf/benchmath and
//     therefore of benchstat: medians and the Mann-Whitney U test, unless the file's unit metadata
//     assume otherwise.
//  5. The p values of a table are adjusted for their number.
//
// Values are in the unit of their table, after benchunit has turned "ns" into "sec" and "MB" into
// "B": units of benchmarks are an open set, so they have no types in package unit.
//
// All measurements of all inputs are held in memory, eight bytes each; a line is at most 64 KiB
// long. The same inputs give the same comparison. The package keeps no state.
//
// It does not run benchmarks and does not render: see internal/report for that.
package bench
