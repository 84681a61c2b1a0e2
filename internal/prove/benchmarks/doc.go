// Package benchmarks finds the benchmarks of a module that run some lines, writes those that are
// missing, and runs them in two builds.
//
// Data flow:
//
//  1. [Set.Find] runs each benchmark of the module once, with coverage (internal/prove/coverage).
//     [Set.Covering] returns those that run a place, the most focused first.
//  2. [Set.Write] writes benchmarks for functions that have none (internal/prove/differ). They choose
//     their inputs, and run once with coverage. Where a recording shows what the function does in
//     production, they must do the same: run the lines that cost (path.go), and spend their CPU time
//     in the same proportions (sampler.go, internal/prove/shape).
//  3. [Set.Compare] compares two builds by benchmarks, in interleaved rounds (bench/builds), and
//     [Set.Probe] runs them between probes (internal/prove/costs).
//     [Set.CompareSizes] compares them by the inputs of each size of benchmarks that were written.
//  4. [Set.Predict] compares the profiles of the benchmarks, also the module's own, with the
//     recording's, and predicts the change of the recorded program's CPU time (predict.go).
//
// A Set reads the copy of the module that it is given, and writes to it only while Compare runs
// benchmarks that were written. It is not safe for concurrent use. It does not judge: package prove
// does.
package benchmarks
