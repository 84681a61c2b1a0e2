// Package poll moves the bytes of many connections on one thread: the part of a
// load generator that must cost next to nothing.
//
// A [Poller] has a fixed number of slots, each for one connection. Data flow:
//
//  1. The caller connects slots ([Poller.Connect]) or hands over sockets that are
//     connected already ([Poller.Adopt]).
//  2. It queues bytes: [Poller.Send] for one message whose answer is awaited before
//     the next, without a copy; [Poller.Write] for a stream of bytes in order.
//  3. [Poller.Wait] sends what is queued, sleeps until something arrives or a time
//     is over, and tells the [Handler] what happened, slot by slot.
//
// There are two kinds. [Epoll] makes one system call for each message sent and each
// message received. [IOUring] hands the kernel all sends of a round in one call
// and gets all that arrived by then back from the same call, in buffers that the
// kernel picks from a shared ring; on Linux 6.12 and later it can also ask to be
// woken only when several answers are there, or a few microseconds are over.
//
// A Poller belongs to the thread that made it: the goroutine must have called
// runtime.LockOSThread, and call all methods. Short waits (up to [shortWait]) do
// not tell Go's scheduler, since that costs more than they take: a garbage
// collection then waits that long for this thread.
//
// Memory: a few dozen bytes a slot and, with io_uring, 4 MiB of buffers in all.
//
// It knows nothing of HTTP or TLS, and it exists on Linux alone.
package poll
