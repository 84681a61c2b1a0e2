// Package watch takes a recording of a service when something happens there.
//
// Data flow:
//
//  1. [Run] asks whet's agent in the target what it offers: there must be a flight recorder, which
//     keeps the seconds before now.
//  2. It looks again and again whether a trigger fires. The agent reports slow requests as
//     soon as they end, if the target's handler is one of Agent.Watch; else the flight recorder's
//     trace is fetched every few seconds and cut into requests. The heap, goroutines and CPU time
//     are polled every second.
//  3. When one does, the flight recorder and snapshots are recorded ([collect.Run]) in its own
//     file, the request is found in the trace, and the caller is notified. Then whet pauses for a
//     while, so that a service in trouble is not kept busy, nor the disk filled.
//
// A request is identified by the mark that the agent logged in the trace when it ended; or by its
// goroutine and time, when a trace told of it. Agents that do not mark leave its begin and end,
// which it must be the only one to have. Latencies identify nothing. A request that cannot be
// identified is reported as such.
//
// A target that goes away, as one that is restarted does, is waited for.
//
// Run owns all that it starts, and calls back from one goroutine at a time. The package does not
// print.
package watch
