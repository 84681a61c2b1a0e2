// Package service compares two builds of a service that run side by side, loading
// them in turn.
//
//  1. [ParseCommand] cuts commands into words. [Run] gives each side an address of its
//     own in place of {addr} and {port}, starts both commands in process groups of
//     their own (package process), waits until they listen, and looks for
//     their pprof handlers.
//  2. Both are asked each distinct request of the load, and their answers compared
//     ([Answers]): services that answer differently do different work.
//  3. Each side is loaded for a moment that is not measured. What opening connections
//     allocates is found out by loads of one request a connection, and taken off later,
//     as is what asking for memory statistics does.
//  4. Package ab takes turns between the sides. A round is a slice of load
//     (package load) for one side while the other one idles. Before and after it the
//     side is asked for its memory statistics, outside of what is timed; at both ends of
//     the slice the CPU time of all its processes is read. A slice gives the values
//     of [UnitCPU], [UnitAllocs], [UnitBytes], [UnitP50], [UnitP90], [UnitP99] and
//     [UnitRate].
//  5. Both are stopped: SIGTERM, some seconds later SIGKILL, to the whole group. The
//     [Result] has the comparison, and before it what speaks against it: failed
//     requests, different answers, the load's own [Doubt]s.
//
// Run may be called by many goroutines; each call owns the processes that it starts, and
// none is left when it returns. Memory does not depend on the length of the comparison but
// for the values of each slice.
//
// The package makes no statistics and prints nothing: see bench/ab and internal/report.
package service
