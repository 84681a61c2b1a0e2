// Package timeloop defines a rule: a loop reads the clock, or makes a timer, on each turn.
//
// To read the clock takes as long as tens of additions; items of one batch can share one time. time.After
// makes a timer and a channel each time it is called, mostly for a timeout that does not come; one
// timer, set again, does the same. Since Go 1.23 a timer that nobody refers to is collected, so this is
// about time, not about leaks.
//
// # Before
//
//	for {
//		select {
//		case v := <-values:
//			take(v)
//		case <-time.After(time.Second):
//			idle()
//		}
//	}
//
// # After
//
//	timeout := time.NewTimer(time.Second)
//	for {
//		timeout.Reset(time.Second)
//		select {
//		case v := <-values:
//			take(v)
//		case <-timeout.C:
//			idle()
//		}
//	}
//
// # Evidence
//
// The CPU profile has time.Now, time.Since or time.Until below the line; for timers time.After or
// time.NewTicker, and so has the profile of allocations.
//
// # Safety
//
// A timer is shared between turns only in modules of Go 1.23 or later, where Reset leaves no old time in
// the channel, and where the duration is a constant: it is set right before the select, as time.After
// would be. The timer runs on for its duration after the last turn unless it is stopped, as that of time.After
// does. For the clock there is no rewrite: whether items may share a time is for who knows what it
// is for.
package timeloop
