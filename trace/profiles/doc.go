// Package profiles makes pprof profiles of what an execution trace holds.
//
// Data flow: the spans of a window, from an index, are added up by the stack at which they began:
// where goroutines waited, were in system calls, helped the garbage collector, or were made to run
// but had no processor. CPU samples and go statements are counted. The result is a google/pprof
// profile, which every view reads.
//
// Of a whole trace, net, sync, syscall and sched equal those of `go tool trace -pprof`, which
// leaves out what a goroutine did before it first ran, and what it is still in when the trace ends.
package profiles
