// Package contention finds which goroutines waited for which in an execution trace: the stack of each
// wait, and the stack of the goroutine that ended it.
//
// Data flow:
//
//  1. A first pass over the spans of an index finds waits: a waiting span, and the runnable span
//     that follows it, which has the stack of the goroutine that woke this one. For a lock, that is
//     where its holder released it. Waits are summed by both stacks, and the longest of each are
//     kept.
//  2. Idle waits are left out: those of goroutines that wait for new work. idle.go defines them.
//  3. A second pass finds the quantiles of the pairs that are shown, and what the wakers did during
//     the longest waits. It shows, for example, a goroutine that waits for the network while it
//     holds a lock.
//
// Memory depends on the number of goroutines (20 bytes each) and of pairs of stacks, which is
// bounded. A goroutine that is woken, finds the lock taken and waits again has two waits.
//
// The package knows nothing about modules: the caller defines which functions are own code.
package contention
