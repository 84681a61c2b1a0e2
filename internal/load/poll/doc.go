// Package poll sends and receives the bytes of many connections on one thread, at the least
// possible cost.
//
// A [Poller] has a fixed number of slots, each for one connection. Data flow:
//
//  1. The caller connects slots ([Poller.Connect]) or hands over connected sockets
//     ([Poller.Adopt]).
//  2. It queues bytes: [Poller.Send] for one message whose answer is awaited before the next,
//     without a copy; [Poller.Write] for a stream of bytes in order.
//  3. [Poller.Wait] sends what is queued, sleeps until something arrives or a time has passed, and
//     calls the [Handler] slot by slot.
//
// There are two kinds. [Epoll] makes one system call for each message sent and each message
// received. [IOUring] submits all sends of a round in one call and gets everything that has arrived
// from the same call, in buffers that the kernel picks from a shared ring; on Linux 6.12 and later
// it can also ask to be woken only when several answers are there, or after a few microseconds.
//
// A Poller belongs to the thread that made it: the goroutine must have called runtime.LockOSThread,
// and call all methods. Go's scheduler does not see short waits (up to [shortWait]), because
// notifying it costs more than they take: a garbage collection then waits that long for this
// thread.
//
// Memory: a few dozen bytes a slot and, with io_uring, 4 MiB of buffers in all.
//
// The package does not know HTTP or TLS, and exists on Linux only.
package poll
