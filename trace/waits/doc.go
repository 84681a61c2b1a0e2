// Package waits reports what goroutines wait for when an execution trace ends, and who started
// goroutines during the trace.
//
// Data flow:
//
//  1. [NewReport] finds the goroutines of an index that exist at the end, and the go statements that
//     were executed.
//  2. One pass over the spans keeps, for each of these goroutines, its last state, since when it
//     has been in it, and the last stack on which it stopped.
//
// The package needs memory for the goroutines that exist at the end, not for those that have ended.
// The result belongs to the caller.
//
// The package does not read goroutine profiles or dumps: package goroutines joins them with the
// trace.
package waits
