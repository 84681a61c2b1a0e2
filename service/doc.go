// Package service compares two builds of a service that run side by side, by loading them in turn.
//
//  1. [ParseCommand] splits commands into words. [Run] assigns each side its own address for {addr}
//     and {port}, starts both commands in separate process groups (package process), waits until
//     they listen, and looks for their pprof handlers.
//  2. Each distinct request of the load is sent to both, and their responses are compared
//     ([Answers]): services with different responses do different work.
//  3. Each side is loaded for a short time that is not measured. The allocations for opening
//     connections are measured with loads of one request per connection, and subtracted later, like
//     those for reading memory statistics.
//  4. Package ab alternates between the sides. A round is a slice of load (package load) for one
//     side while the other one is idle. The side's memory statistics are read before and after it,
//     outside the measured time; the CPU time of all its processes is read at both ends of the
//     slice. A slice yields values of [UnitCPU], [UnitAllocs], [UnitBytes], [UnitP50], [UnitP90],
//     [UnitP99] and [UnitRate]. If both services listen at the same address, only one runs at a
//     time: each slice starts its service again, with a warm-up, after the other one was stopped.
//  5. Both are stopped: SIGTERM and, some seconds later, SIGKILL to the whole group. The [Result]
//     contains the comparison and the reasons to distrust it: failed requests, different responses,
//     and each [Warning] reported by the load.
//
// Run may be called concurrently; each call owns the processes that it starts, and none is left
// when it returns. Memory does not depend on the duration of the comparison, except for the values
// of each slice.
//
// The package computes no statistics and prints nothing: see bench/ab and internal/report.
package service
