// Package deferloop defines a rule: a deferred call in a loop is kept until the function returns.
//
// Go compiles a defer into the function's end, at no cost, where it runs once at most. In a loop each
// turn allocates a record and a closure, and what the calls would close, unlock or give back is kept
// for all turns until the function returns.
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
// The CPU profile has runtime.deferproc and runtime.newobject below the line, or runtime.deferprocat in
// a range over a function; the profile of allocations has the line itself.
//
// # Safety
//
// The rewrite runs each call at the end of its turn instead of at the function's end, after all others in
// the reverse order. That is mostly what was meant, but somebody must look: what a turn makes may be
// remembered by a function that gets it. There is a rewrite only for what the turn itself makes with a call and
// keeps nowhere that shows, so not for locks, which are often taken in a loop to be held together; not
// where the loop is left from within (return, break, goto, a label); and not where what is deferred could
// recover from a panic or set a result: functions of the package, literals.
package deferloop
