// Package flight runs work for several requests at once.
//
// Data flow:
//
//  1. [Group.Join] starts the work of a key, or joins what runs for it.
//  2. [Call.Wait] waits for its result. What the work reports with [Report] goes to each who waits and has
//     asked for it with [WithReport].
//  3. [Call.Leave] ends the wait. When all have left, the context of the work ends.
//
// A Group may be used by several goroutines. It keeps no results: who joins after the end starts the work again.
package flight
