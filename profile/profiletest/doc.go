// Package profiletest generates profiles of any size for tests and benchmarks:
// deterministic, with the shape of real ones (a call graph in which most calls
// go to the hot callee).
//
//  1. [Options] say how many samples, functions and lines, how deep, and how
//     often a call leaves the hot callee, which sets how much stacks share.
//  2. [Generate] walks that call graph once per sample.
//
// It is not used by the whet binary.
package profiletest
