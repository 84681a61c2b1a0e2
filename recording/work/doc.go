// Package work counts the requests that a recorded target answered while a profile was
// taken, and compares what one request costs in two recordings.
//
// Data flow:
//
//  1. [Between] takes the two profiles of a comparison, finds the window of each by the
//     times of its part, and counts the requests of that window: by the seconds of the
//     recording's load result, or else by its execution trace. Both sides are counted
//     the same way; where that is impossible the error says why, with the cure.
//  2. From the seconds of a load on the same machine comes the CPU time of a request by
//     the clock of the target's process, and how much it varies from second to second.
//     A CPU profile loses ticks, more when the machine is busy, so the clock gives the
//     total and the profile its shares.
//  3. [Compare] compares two rates: change, interval and verdict.
//
// A window need not be the load's: the CPU profile lies inside of it, the differences of
// cumulative profiles cover more. A profile of one moment, such as what is live on the
// heap, has no requests.
//
// The interval covers what varies within the two recordings, and an allowance for the state
// of the machine, which a recording cannot see: more the more of it other programs used,
// none for recordings made at the same time. It does not cover what differs from one start
// of a program to the next: only repeated, interleaved measurements see that (bench/ab).
//
// The package keeps no state. It does not read profiles.
package work
