// Package peers measures whole programs: the whet binary against the tools that it replaces, in one
// run on one machine. It has only benchmarks.
//
//  1. Each benchmark builds whet, finds the peer, and generates the input.
//  2. whet and the peer run alternately, as processes; wall time and peak memory come from the
//     operating system.
//  3. The medians are reported with their ratio (x-faster, x-smaller), which carries over to other
//     machines better than absolute times.
//
// Run them with make bench-profile, bench-load, bench-power, bench-diff and bench-trace, on an
// otherwise idle machine.
package peers
