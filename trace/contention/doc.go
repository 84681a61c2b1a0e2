// Package contention says who waited for whom in an execution trace: the stack of the wait, and the stack
// of whoever ended it.
//
// Data flow:
//
//  1. A first pass over the spans of an index finds waits: a span of waiting, and the runnable one behind
//     it, which has the stack of the goroutine that woke this one. Of a lock that is where its holder
//     gave it back. Waits are added up by both stacks, and the longest of each are noted.
//  2. Idle waits are left out: those of goroutines that wait to be given something to do. idle.go says
//     what these are.
//  3. A second pass finds the quantiles of the pairs that are shown, and what the wakers did while the
//     longest waits lasted: who holds a lock and waits for the network meanwhile is seen there.
//
// Memory goes by the number of goroutines (20 bytes each) and of pairs of stacks, which is bounded.
// A goroutine that is woken and finds the lock taken by another one waits again: these are two waits.
//
// The package knows nothing of modules: the caller says which functions are its own code.
package contention
