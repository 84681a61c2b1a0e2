// Package goroutines answers what a program's goroutines are doing: how many
// there are at each stack, who started them, what they wait for and since when,
// which of them grew in number between two moments and which are leaked.
//
// Data flow:
//
//  1. [FromProfile] reads a goroutine or goroutineleak profile; [ReadDump] streams
//     a text dump (runtime.Stack, a panic, SIGQUIT, debug=1 or debug=2 of
//     net/http/pprof), one [Record] at a time, and [FromDump] groups it.
//  2. Both end in a [Snapshot]: groups of goroutines with one stack, one reason to
//     wait and one creator. A stack is canonical: the runtime's own frames at
//     either end are cut off, so that the same goroutines meet each other
//     whether they come from a profile, a dump or an execution trace.
//  3. [Snapshot.AddTrace] joins what an execution trace knows and a profile does
//     not: who executed the go statement, and since when a goroutine waits.
//  4. [Snapshot.MarkLeaks] joins a goroutineleak profile; [Grow] joins an earlier
//     snapshot. [Snapshot.ByCreator] sums the groups by creator.
//
// What is inferred says so: a [Creator], a reason to wait and a [Wait] each carry
// where they come from.
//
// A Snapshot belongs to its maker until it is no longer changed; after that any
// number of goroutines may read it. A Record belongs to ReadDump and is valid
// until the callback returns. Memory is bounded by the number of distinct stacks,
// which [Options] caps, not by the size of the dump.
//
// The package does not fetch. In particular whet never asks a server for debug=2,
// which stops the world for as long as it takes to print every stack.
package goroutines
