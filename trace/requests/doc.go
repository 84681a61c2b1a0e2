// Package requests says where the time of each request of a server went, from a plain execution trace.
//
// Data flow:
//
//  1. Server goroutines are known by the function that they run: a connection of net/http has many
//     requests one after the other, as a worker of gRPC or fasthttp has; a stream of HTTP/2 or gRPC, and a call of
//     net/rpc, is one. Tasks of runtime/trace count as requests too.
//  2. The spans of an index come by in one pass. A connection's goroutine is cut where it waits for
//     the next request, or for its background read to stop, which it does behind each answer
//     (net/http/server.go); that a request came in between is told by the background read that
//     net/http starts for it, by stacks inside of a handler, or by its having run at all after it waited.
//     A second background read tells that the next request had come with the one before (pipelining).
//     A handler that panics or takes the connection over goes on until its goroutine ends. The goroutine
//     that net/http's TimeoutHandler starts belongs to the request of the one that started it.
//  3. What a request's goroutine does between its ends is added up by cause: running, waiting for a
//     processor, for locks, channels, the network, another server, sleeping, system calls, helping the
//     collector.
//  4. Its handler is the last function that was handed the request (handler.go says how that is known), by
//     the stacks where the goroutine waited, was sampled, started or woke another, or left a mark: a task, region or
//     log of runtime/trace, or a range of the garbage collector. If no such stack is inside the handler, the
//     request has no name, or that of the middleware that was seen, which says so.
//  5. Requests are put together in classes by their handler, or the task's type. A class adds them up
//     in buckets of latencies that are within 1.6 % of each other, from which those in the middle are
//     compared with the slowest, and keeps some of the slowest.
//  6. Of these, if it is asked for, the critical path is found.
//
// Requests for profiles of the server, to the handlers of net/http/pprof or of whet's agent, are counted and left out.
//
// # Tasks
//
// A task is on the goroutine that began it. If that was not on a processor when the task ended, it was
// ended by another: by the one whose region or log of the task is the last, or else by the only one that
// the first had started meanwhile. Its time is then of the first goroutine until the other one had it (its
// first sign of the task, or its begin), and of that one from there on. The trace says on which goroutine a
// task ends, the index does not. What no goroutine's spans tell is [Other].
//
// # Critical paths
//
// A path is walked back from a request's end. What its goroutine does is on the path; where it waits for
// a lock, a channel or a client's connection, the path goes on in the goroutine that ended the wait, from
// that moment back to the wait's begin, and so on in the waits of that one. Where a goroutine began later
// than the wait, it goes on in the one that started it. Then it comes back to the goroutine that waited,
// with what that did before. This is how schedulers' analyses walk (Perfetto's critical path; Yang and Miller,
// "Critical path analysis for the execution of parallel and distributed programs", 1988), cut to the waits: a
// request depends on what others did while it waited, and not on what they did before.
//
// Not followed: sleeping, the network and the collector, which are causes by themselves, and waits that a timer
// or the runtime ended. A server's goroutine that waits for its next request, in the begin of a wait that it
// ended later, did nothing for it: that time stays the cause of the wait. The path does not know who held
// a lock before the one that handed it over took it, unless that one waited for it too.
//
// # Memory
//
// Memory does not grow with the number of requests. It is bounded by some 100 MB for classes (500, of
// latencies from nanoseconds to years), as much for tasks (500 000; more are counted as dropped) and for paths
// (100 000 steps while one is walked, some 400 kept), and goes with the goroutines that are servers.
//
// A result is the caller's. The package does not read traces: trace/index does.
package requests
