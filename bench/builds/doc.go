// Package builds compares two builds of a module by its benchmarks.
//
// Data flow:
//
//  1. Two [Side]s describe what to build: a commit or directory, flags and environment.
//  2. [Run] checks out commits, finds the packages with benchmarks on both sides, and builds their
//     test binaries; one side's test files can be carried over to the other, since a changed
//     benchmark cannot be compared.
//  3. Each benchmark runs once on each side, which finds sub-benchmarks and failures.
//  4. Those that both sides have are the subjects of [ab.Run].
//  5. The [Result] is ab's, with what was built, what only one side has, and what failed.
//     [Result.WriteFormat] writes the rounds in Go's benchmark format.
//
// With a journal, a run that was killed can continue: the sides are built again, and the pairs of
// the journal are taken over if the builds are the same.
//
// Run works in a temporary directory, removes it before it returns, and changes nothing of the
// user's. Packages bench/gotest (processes) and bench/ab (statistics) do the work; neither knows
// about this one.
package builds
