// Package peers measures whole programs: the whet binary against the tools that
// it replaces, in one run on one machine. It holds benchmarks only.
//
//  1. Each benchmark builds whet, finds the peer, and makes the input.
//  2. whet and the peer run in turn, as processes; wall time and peak memory are
//     the operating system's own figures.
//  3. The medians are reported with their ratio (x-faster, x-smaller), which
//     holds where absolute times do not.
//
// Run them with make bench-profile, bench-load, bench-power, bench-diff and bench-trace, on an otherwise idle machine.
package peers
