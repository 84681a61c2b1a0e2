// Package work counts the requests that a recorded target answered while a profile was
// taken, and compares what one request costs in two recordings.
//
// Data flow:
//
//  1. [Between] takes the two profiles of a comparison, determines the window of each from
//     the times of its part, and counts the requests in that window: from the seconds of the
//     recording's load result, or else from its execution trace. Both sides are counted in
//     the same way; if that is impossible, the error has the reason and a hint.
//  2. If the load was on the same machine, its seconds also have the CPU clock of the target's
//     process: they yield the CPU time per request, and how much it varies from second to second. A
//     CPU profile loses ticks, especially on a busy machine, so the total comes from the clock, and
//     its division from the profile.
//  3. [Compare] compares two rates: change, interval and verdict.
//
// A profile's window may differ from that of the load: the CPU profile lies within it, and
// the differences of cumulative profiles extend beyond it. A profile of one moment, such as
// the live heap, has no requests.
//
// The interval covers the variation within the two recordings, plus a margin for the state of the
// machine, which a recording does not show: it grows with the CPU time that other programs used,
// and is zero for recordings made at the same time. The interval does not cover differences between
// runs of a program: only repeated, interleaved measurements show those (bench/ab).
//
// The package keeps no state. It does not read profiles.
package work
