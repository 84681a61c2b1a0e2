// Package requests finds where each request of a server spent its time, from a plain execution
// trace.
//
// Data flow:
//
//  1. Server goroutines are recognized by the function that they run: a connection of net/http
//     serves many requests one after the other, as does a worker of gRPC or fasthttp; a stream of
//     HTTP/2 or gRPC, and a call of net/rpc, is one request. Tasks of runtime/trace count as
//     requests too.
//  2. The spans of an index are read in one pass. The goroutine of a connection is cut where it
//     waits for the next request, or for its background read to stop, as it does after each answer
//     (net/http/server.go). A request came in between if net/http started a background read for it,
//     if a stack is inside a handler, or if the goroutine ran at all after it waited. A second
//     background read means that the next request had arrived with the previous one (pipelining). A
//     handler that panics or hijacks the connection continues until its goroutine ends. The
//     goroutine that net/http's TimeoutHandler starts belongs to the request of the goroutine that
//     started it.
//  3. What a request's goroutine does between its ends is summed by cause: running, waiting for a
//     processor, for locks, channels, the network or another server, sleeping, system calls,
//     assisting the garbage collector.
//  4. Its handler is the last function that the request was passed to (handler.go explains how that
//     is known). The stacks that show it are those where the goroutine waited, was sampled, started
//     or woke another, or left a mark: a task, region or log of runtime/trace, or a range of the
//     garbage collector. If none of them is inside the handler, the request has no name, or the
//     name of the middleware that was seen, marked as such.
//  5. Requests are grouped in classes by their handler, or the task's type. A class sums them in
//     buckets of latencies that are within 1.6% of each other, compares those in the middle with
//     the slowest, and keeps some of the slowest.
//  6. On request, the critical paths of these are found.
//
// Requests for profiles of the server, to the handlers of net/http/pprof or of whet's agent, are
// counted and left out.
//
// # Tasks
//
// A task is on the goroutine that began it. If that was not on a processor when the task ended,
// another one ended it: the one with the last region or log of the task, or else the only one that
// the first had started in the meantime. The task's time is then that of the first goroutine until
// the other one took over (at its first region or log of the task, or at its start), and that of
// the other one from then on. The trace records on which goroutine a task ends, but the index does
// not. Time not covered by any goroutine's spans is [Other].
//
// # Critical paths
//
// A path is walked backwards from a request's end. What its goroutine does is on the path; where it
// waits for a lock, a channel or a client's connection, the path continues in the goroutine that
// ended the wait, from that moment back to the start of the wait, and likewise in the waits of that
// one. Where a goroutine began later than the wait, it continues in the one that started it. Then
// it returns to the goroutine that waited, with what that did before. Schedulers' analyses walk
// this way (Perfetto's critical path; Yang and Miller, "Critical path analysis for the execution of
// parallel and distributed programs", 1988); here the walk is limited to the waits: a request
// depends on what others did while it waited, and not on what they did before.
//
// Some waits are not followed: sleeping, the network and the garbage collector, which are causes
// themselves, and waits that a timer or the runtime ended. If the goroutine that ended a wait is a
// server's, and was waiting for its next request when the wait began, it did no work for that wait
// until the request came: that time remains with the cause of the wait. The path does not show who
// held a lock before the goroutine that released it, unless that one waited for it, too.
//
// # Memory
//
// Memory does not grow with the number of requests, but with the number of server goroutines. In
// addition, classes take up to about 100 MB (500 classes, with latencies from nanoseconds to
// years), tasks as much (500 000; more are counted as dropped), and paths as much (100 000 steps
// during a walk, of which about 400 are kept).
//
// A result belongs to the caller. The package does not read traces: trace/index does.
package requests
