// Package spool stores profiles that others send, and keeps them on disk while the store does not take
// them.
//
// Data flow:
//
//  1. [Spool.Write] writes a batch to the store. If the store fails, the batch goes to a buffer on disk
//     (package buffer), within the limits that the store would check. Either way, it survives a crash when
//     Write returns nil, and its sender may forget it.
//  2. While something waits in the buffer, batches go there at once, except those of services that the
//     store takes, such as those on shards that are up: a [Prober] says so (paths.go).
//  3. [Spool.Run] sends what waits to the store, oldest first, with growing pauses while the store fails:
//     its [Sender] (send.go) leaves out services that the store does not take now, so they hold back no
//     others. A batch that was stored but not removed when the process was killed is stored again, which stores
//     know by the hash of its profiles.
//  4. If the buffer is full, Write returns a *buffer.FullError: the sender has to try again later.
//
// Errors that the sender can correct are returned while the store answers. What a store refuses that
// comes from the buffer, such as one series too many, is counted, reported and dropped, since its sender
// is gone.
//
// Package scrape uses a Sender with a queue in front of it, because it drops what a spool refuses.
//
// A Spool is safe for concurrent use. It owns neither the store nor the buffer.
package spool
