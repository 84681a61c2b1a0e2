// Package rounds measures the benchmarks of one build.
//
// Data flow:
//
//  1. [Measure] runs prepared benchmarks round-robin, by GOMAXPROCS, and describes the machine, the
//     build and the commit.
//  2. The [Result] has all rounds, a summary as benchstat computes it, and writes itself in Go's
//     benchmark format.
//
// The package keeps no state.
package rounds
