// Package timeloop defines a rule: a loop reads the clock or creates a timer in every iteration.
//
// Reading the clock takes as long as tens of additions; the items of a batch can share one time.
// time.After creates a timer and a channel on each call, usually for a timeout that never fires;
// a single timer that is reset does the same. Since Go 1.23 unreferenced timers are collected,
// so this is about time, not about leaks.
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
// The CPU profile shows time.Now, time.Since or time.Until called from the line; for timers both
// profiles show time.After or time.NewTicker.
//
// # Safety
//
// A timer is shared between iterations only in modules of Go 1.23 or later, where Reset leaves
// no stale value in the channel, and only where the duration is constant: it is reset right
// before the select, as time.After would start it. After the last iteration the timer runs on
// for its duration unless it is stopped, as the one of time.After does.
//
// There is no rewrite for the clock: whether items may share a time depends on what it is used
// for.
package timeloop
