// Package deferloop defines a rule: deferred calls pile up in a loop until the function returns.
//
// A defer that runs at most once is compiled into the end of the function and is nearly free. In
// a loop, each iteration allocates a record and a closure, and whatever the calls would close,
// unlock or release is held until the function returns.
//
// # Before
//
//	for _, host := range hosts {
//		ctx, cancel := context.WithTimeout(ctx, time.Second)
//		defer cancel()
//		alive[host] = ping(ctx, host)
//	}
//
// # After
//
//	for _, host := range hosts {
//		func() {
//			ctx, cancel := context.WithTimeout(ctx, time.Second)
//			defer cancel()
//			alive[host] = ping(ctx, host)
//		}()
//	}
//
// # Evidence
//
// The CPU profile shows runtime.deferproc and runtime.newobject called from the line, or
// runtime.deferprocat in a range over a function; the allocation profile charges the line
// itself.
//
// # Safety
//
// The rewrite runs each call at the end of its iteration instead of all of them, in reverse
// order, when the function returns. That is usually what was meant, but needs review: a function
// may retain what an iteration passes to it.
//
// There is a rewrite only for values that the iteration itself creates with a call and visibly
// stores nowhere. So there is none for locks, which are often acquired in a loop to be held
// together; none where the loop is left from within (return, break, goto, a label); and none
// where the deferred call could recover from a panic or set a result, as functions of the
// package and function literals can.
package deferloop
