// Package requests says where the time of each request of a server went, from a plain execution trace.
//
// Data flow:
//
//  1. Server goroutines are known by the function that they run: a connection of net/http has many
//     requests one after the other; a stream of HTTP/2 or gRPC, and a call of net/rpc, is one.
//  2. The spans of an index come by in one pass. A connection's goroutine is cut where it waits for
//     the next request, or for its background read to stop, which it does behind each answer
//     (net/http/server.go); that a request came in between is told by the background read that
//     net/http starts for it, by stacks inside of a handler, or by its having run at all after it waited.
//  3. What a request does between its ends is added up by cause: running, waiting for a processor, for
//     locks, channels, the network, another server, sleeping, system calls, helping the collector.
//  4. Requests are put together in classes by their handler, and those in the middle compared with the
//     slowest.
//
// Memory goes by the number of requests (some 150 bytes each), which is bounded.
package requests
