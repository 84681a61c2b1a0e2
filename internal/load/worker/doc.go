// Package worker sends the requests of a load and receives their answers: event loops over io_uring
// or epoll on Linux, Go's own client elsewhere.
//
// Data flow:
//
//  1. [New] creates the workers of a [Group], each with its share of the connections, of the
//     requests and, in the open model, of the schedule (package workload).
//  2. [Group.Prepare] opens the connections. Each loop has its own thread and poller (package poll).
//     TLS handshakes run on goroutines; the loop then adopts the socket, and crypto/tls reads from
//     memory what the loop has received.
//  3. [Group.Begin] starts sending. A loop handles the events of a round one after the other:
//     packages http1 and http2 turn bytes into answers, each answer goes to the loop's shard of the
//     recorder (package record), and the next request is sent.
//  4. A closed run compares io_uring with epoll once, on its own requests, and continues with the
//     better one ([Choice]). A loop on io_uring also finds out whether to wait for several answers
//     at once.
//  5. When the time is over or the requests are used up, those in flight get up to
//     [Options.Timeout]. When the context ends, they are cut off.
//
// The methods of a Group are for one goroutine, but [Group.Connects] may be called at any time.
// Connections and requests belong to one loop; loops share only the counters of the group.
package worker
