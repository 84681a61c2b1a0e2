// Package collect gets a recording from a target: a server with pprof handlers,
// Go packages with benchmarks, or a command that it starts.
//
// Data flow for a server ([Options.URL]):
//
//  1. The handlers' directory is looked for under the address given.
//  2. First snapshots: heap, allocs, block, mutex, goroutine, runtime.MemStats, and
//     the process when it is on this machine.
//  3. The window: the CPU profile, the execution trace inside it, and the load.
//     Cancelling the context half-closes both connections, on which net/http's
//     server ends the handlers early and sends what there is.
//  4. Last snapshots of the same, and of threadcreate and goroutineleak. What
//     counts from the program's start is stored as a difference.
//  5. The build is described by the target's agent, its executable, or the
//     profiles; the source files with hot lines are added; the file is closed.
//
// Answers go to disk as they arrive beside the recording, and one profile at a time is decoded. Their size,
// the memory to decode one, and the time of all of them together are limited: [Options.MaxSize],
// [Options.MaxMemory], [Options.Grace].
//
// A command ([Options.Command]) is started in its own process group, found by
// its listening sockets, recorded as a server, and stopped. Packages
// ([Options.Packages]) are built as test binaries which run twice: for CPU and
// memory, then shorter for block, mutex and trace. When the time is over or the
// context ends, the binary writes its profiles early (see package gotest).
//
// Whatever cannot be had is listed in the recording's Missing with its cure; only
// when nothing at all could be had is there an error and no file. Credentials go
// to the target's host alone, and never into the recording or a message.
//
// [Run] may be called by many goroutines. It owns all it starts, and nothing of it
// is left when it returns. The package does not print and does not read profiles
// for people: see internal/cli and internal/report.
package collect
