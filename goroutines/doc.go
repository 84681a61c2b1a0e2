// Package goroutines shows what a program's goroutines are doing: how many there are at each stack,
// what started them, what they wait for and since when, which stacks have more of them than in an
// earlier snapshot, and which are leaked.
//
// Data flow:
//
//  1. [FromProfile] reads a goroutine or goroutineleak profile; [ReadDump] streams a text dump
//     (runtime.Stack, a panic, SIGQUIT, debug=1 or debug=2 of net/http/pprof), one [Record] at a
//     time, and [FromDump] groups it.
//  2. Both return a [Snapshot]: groups of goroutines with one stack, one wait reason and one
//     creator. Stacks are canonical: the runtime's own frames at either end are removed, so that
//     the same goroutines match whether they come from a profile, a dump or an execution trace.
//  3. [Snapshot.AddTrace] adds what an execution trace contains and a profile does not: which
//     function executed the go statement, and since when a goroutine has been waiting.
//  4. [Snapshot.MarkLeaks] adds a goroutineleak profile; [Snapshot.CompareWith] compares with an
//     earlier snapshot. [ByCreator] sums groups by creator.
//  5. [NewReport] filters and ranks the groups, own code first. `whet goroutines` shows its result,
//     or writes it as JSON.
//
// Inferences are marked: a [Creator], a wait reason and a [Wait] each carry their source.
//
// A Snapshot may be read concurrently once it is no longer modified. A Record belongs to ReadDump
// and is valid until the callback returns. Memory is bounded by the number of distinct stacks, which
// [Options] limits, not by the size of the dump.
//
// The package does not fetch. In particular, whet never requests debug=2 from a server, which stops
// the world for as long as it takes to print every stack.
package goroutines
