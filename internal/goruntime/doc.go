// Package goruntime knows the functions of the Go runtime by name: what stacks that begin with them
// are for, what goroutines that stop in them wait for, and which of them collect garbage.
//
// Data flow:
//
//  1. [Of] looks a symbol up in the one table of names. Each entry answers the questions of all
//     callers: profiles ask for the purpose of an outermost function, goroutine profiles for the
//     state of a goroutine that stopped there, profiles and traces for the collector's part.
//  2. [In], [Sync], [Standard] and [Virtual] decide by package, for functions that have no entry.
//
// The table has the names of Go 1.18 to 1.27. A function that it does not have is an ordinary one:
// its zero [Func] answers no question.
//
// The package does not parse stacks: where a frame must be for an answer to count is the caller's
// decision. Two questions that look alike differ on purpose: [Collectors] are functions whose
// callees are all garbage collection, which a profile sums; [ForCollector] is any function in which
// a goroutine may wait for the collector, callees or not. What goroutines wait for has other names
// in an execution trace than on a stack; trace/index.ReasonOf parses those.
package goruntime
