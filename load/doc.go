// Package load sends HTTP requests to a server and measures how it answers.
//
// There are two models. The closed one keeps a fixed number of requests in flight:
// each is sent as soon as the one before it has been answered. Such a load finds
// out how fast a server can go and keeps it busy while it is recorded. The open
// one sends requests at times that do not depend on the answers, as callers do who
// do not know of each other, and measures latency from the time when a request
// should have been sent: a server that stands still makes all requests late that
// are due meanwhile, and the result says so (no coordinated omission).
//
// Data flow:
//
//  1. [Run] checks the [Options] and makes a plan: hosts with their addresses, and
//     the targets on each as templates of requests (package request). Names are
//     resolved once. Every address must be on the loopback interface unless
//     [Options.AllowHosts] says otherwise; nothing else is dialled.
//  2. The workers of an [Engine] open their connections. On Linux each worker is an
//     event loop on a thread of its own: it moves bytes with package poll (io_uring,
//     or epoll where that is not to be had) and reads answers with packages http1 and
//     http2. A closed run compares the two once and goes on with the better one ([EngineChoice]); TLS is crypto/tls over memory. Elsewhere the worker is a goroutine
//     for each request in flight, over net/http.
//  3. The workers send requests, in the open model those of their part of the
//     schedule, and put each answer into a recorder shard: HDR histograms and a
//     handful of counters. Bodies are counted and thrown away. Redirects are not
//     followed, nothing is decompressed, there is no proxy.
//  4. Once a second the shards are folded into the totals and leave one
//     [Second] behind.
//  5. When the time is over or the requests are used up, those in flight get the
//     time that they need, up to [Options.Timeout]: to drop them would hide the
//     slowest answers. When the context is cancelled they are cut off and counted
//     as [Result.Unfinished].
//  6. The [Result] is put together and judged: its [Doubt] list says when the
//     generator, not the server, was the limit, and other reasons not to believe
//     the figures.
//
// An answer to a request on a kept-alive connection that the server has closed
// before it saw the request is no failure: an idempotent request is sent again,
// once, and counted in [Result.Retries]; its latency includes both.
//
// Memory does not depend on the number of requests: it is a few histograms per
// worker, some hundred bytes per connection (more with TLS) and about a hundred
// bytes per second of run.
//
// Run may be called from several goroutines; each call has its own
// connections. All goroutines it starts have ended or been told to stop and all
// its connections are closed when it returns.
//
// What it does not do: it does not format its results for people, follow links, or
// run scripts. Package targets reads files of requests, slo checks results against
// objectives, capacity searches the highest rate that keeps them, and compare
// tells two results apart.
package load
