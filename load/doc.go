// Package load sends HTTP requests to a server and measures how it answers.
//
// There are two models. The closed model keeps a fixed number of requests in flight: each is sent
// as soon as the one before it has been answered. It shows how fast a server can go and keeps it
// busy while it is recorded. The open model sends requests at times that do not depend on the
// answers, like independent callers, and measures latency from the time when a request should have
// been sent: when a server stalls, all requests due meanwhile are late, and the result shows it (no
// coordinated omission).
//
// Data flow:
//
//  1. [Run] checks the [Options] and makes a plan: hosts with their addresses, and the targets on
//     each as templates of requests. Names are resolved once. Every address must be on the loopback
//     interface unless [Options.AllowHosts] lists it; nothing else is dialed.
//  2. The workers of an [Engine] (internal/load/worker) open their connections. On Linux each
//     worker is an event loop on its own thread, over io_uring, or epoll where that is unavailable.
//     A closed run compares the two once and continues with the better one ([EngineChoice]).
//     Elsewhere the worker is a goroutine for each request in flight, over net/http.
//  3. The workers send requests, in the open model those of their part of the schedule
//     (internal/load/workload), and record each answer in HDR histograms and a few counters
//     (internal/load/record). Bodies are counted and discarded. Redirects are not followed, nothing
//     is decompressed, there is no proxy.
//  4. Once a second what they recorded is added to the totals, and summarized in one [Second].
//  5. When the time is over or the requests are used up, those in flight may still be answered,
//     within [Options.Timeout]: dropping them would hide the slowest answers. When the context is
//     canceled they are cut off and counted as [Result.Unfinished].
//  6. The [Result] is assembled and judged: [Result.Verdict] reports whether the generator, not
//     the server, was the limit, and other reasons to distrust the numbers.
//
// An unanswered request on a kept-alive connection that the server closed before seeing the request
// is not a failure: an idempotent request is sent again, once, and counted in [Result.Retries]; its
// latency includes both.
//
// Memory does not depend on the number of requests: it is a few histograms per worker, some hundred
// bytes per connection (more with TLS) and about a hundred bytes per second of run.
//
// Run may be called concurrently; each call has its own connections. When it returns, all
// goroutines that it started have ended or will end soon, and all its connections are closed.
//
// The package does not format results for people, follow links, or run scripts. Package plan reads
// files of requests, compare compares a result with objectives or with another result, and capacity
// searches for the highest rate that meets objectives.
package load
