// Package load sends HTTP requests to a server and measures how it answers.
//
// The model is closed: a fixed number of connections, each with one request in
// flight, each sending the next request as soon as the last answer has been
// read to its end. Such a load finds out how fast a server can go and keeps it
// busy while it is recorded; it does not find out how long callers would wait
// at a given arrival rate.
//
// Data flow:
//
//  1. [Run] checks the [Options]. Every target must be on the loopback
//     interface unless [Options.AllowRemote] says otherwise; the address is
//     checked once more when a connection is dialled, so that a name which
//     changes its mind between the two is refused as well.
//  2. One goroutine per connection sends requests through a transport of its
//     own: keep-alive, HTTP/1.1, no redirects, no decompression, no proxy.
//     Bodies are read to their end through one fixed buffer and thrown away.
//  3. Each answer goes into one of a few recorder shards: an HDR histogram of
//     latencies and a handful of counters.
//  4. Once a second the shards are folded into the totals and leave one
//     [Second] behind.
//  5. When the time is over, the requests are used up or the context is
//     cancelled, requests still in flight are cut off and counted as
//     [Result.Unfinished], and the [Result] is put together.
//
// Memory does not depend on the number of requests: it is a histogram per
// shard, a buffer per connection and about a hundred bytes per second of run.
//
// Run may be called from several goroutines; each call has its own
// connections. All goroutines it starts have been told to stop and all its
// connections are closed when it returns.
//
// What it does not do: no constant arrival rate and so no correction for
// coordinated omission, no HTTP/2, no scripts. It does not format its results
// for people and does not decide whether they are good.
package load
