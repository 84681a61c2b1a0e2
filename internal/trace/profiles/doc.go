// Package profiles makes pprof profiles of an execution trace.
//
// Data flow: the spans of a window, from an index, are summed by the stack at which they began:
// where goroutines waited, were in system calls, assisted the garbage collector, or became runnable
// without a processor. CPU samples and go statements are counted. The result is a google/pprof
// profile, which every view reads.
//
// For a whole trace, net, sync, syscall and sched equal those of `go tool trace -pprof`, which
// omits what a goroutine did before it first ran, and its last state when the trace ends.
package profiles
