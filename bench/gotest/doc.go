// Package gotest builds and runs the benchmarks of Go packages.
//
// Data flow:
//
//  1. A [Source] is a state of a module with its build settings. [Worktree] makes one from a
//     commit; [ParseFlags] reads the settings.
//  2. [List] finds the packages whose test files declare benchmarks, with the go command.
//  3. [CarryBenchmarks] replaces the test files of one source by those of another in an overlay,
//     without touching a file of either.
//  4. [Compile] builds a package's test binary.
//  5. [Binary.Benchmarks] finds the names of its benchmarks, sub-benchmarks included, by running
//     each once.
//  6. [Binary.Run] runs exactly one of them in its own process and reads its measurements from the
//     process's output.
//
// Benchmarks are foreign code: they may panic, exit, hang, print endlessly or print what looks like
// a result. Output is bounded, a process is killed with everything it has started when its time is
// over, and such a benchmark becomes a [Failure] that names it, while the others continue.
//
// Values are safe for concurrent use; [Binary.Run] may be called concurrently. A process never
// outlives the call that started it; on Linux it does not outlive whet either, even if whet is
// killed. The caller that made a [Tree] owns it and calls its Close; if whet is killed, a janitor
// removes it.
//
// The package computes no statistics, does not choose the number of rounds and prints nothing: see
// package bench and internal/cli.
package gotest
