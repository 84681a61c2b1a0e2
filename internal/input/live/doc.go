// Package live profiles a running service in windows that follow one another, and adds up what its own
// lines cost in each.
//
// Data flow:
//
//  1. [Run] fetches the CPU profile of a window and, at the same time, what was allocated in it, as
//     package input does for an address.
//  2. Each sample is charged to its innermost own frame. The costs of the window become the last
//     column of a [State]: the last windows, and the sum of all.
//  3. The caller gets the State after each window. A window that fails is part of it, with the error;
//     the next one is tried after a pause, so that a service may go and come back.
//
// A State belongs to the caller; Run makes a new one for each window. Run starts two goroutines for a
// window, which end with it.
//
// The package contacts only the address in [Options]. It does not render: see internal/report/profiles.
package live
