// Package watch records a service when a trigger fires: a slow request, or growth in goroutines,
// heap or CPU use.
//
// Data flow:
//
//  1. [Run] queries whet's agent in the target: it must have a flight recorder, which keeps the
//     seconds before now.
//  2. It polls the triggers. The agent reports slow requests as soon as they end, if the target's
//     handler is wrapped by Agent.Watch; otherwise the flight recorder's trace is fetched every few
//     seconds and cut into requests. The heap, goroutines and CPU time are polled every second.
//  3. When a trigger fires, the flight recorder and snapshots are recorded ([collect.Run]) in a new
//     file, the request is located in the trace, and the caller is notified. Then whet pauses, so
//     that it neither keeps a service in trouble busy nor fills the disk.
//
// A request is identified by the mark that the agent logged in the trace when it ended; or by its
// goroutine and time, if it was found in a trace. For agents that do not mark requests, it is
// identified by its begin and end, which must match one request only. Latencies do not identify a
// request. A request that cannot be identified is reported as such.
//
// When a target goes away, for example to restart, Run waits for it.
//
// Run owns all that it starts, and calls back from one goroutine at a time. The package does not
// print.
package watch
