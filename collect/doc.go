// Package collect records a target: a server with pprof handlers, Go packages with benchmarks, or a
// command that it starts.
//
// Data flow for a server ([Options.URL]):
//
//  1. Find the directory of the pprof handlers below the given address (internal/collect/handlers).
//  2. Take the first snapshots: heap, allocs, block, mutex, goroutine, runtime.MemStats, and the
//     process if it is on this machine.
//  3. Run the window: the CPU profile, the execution trace within it, and the load. Canceling the
//     context half-closes both connections; net/http's server then ends the handlers early and
//     sends what they have.
//  4. Take the last snapshots of the same, and of threadcreate and goroutineleak. Profiles that
//     count from the program's start are stored as a difference.
//  5. Describe the build from the target's agent, its executable, or the profiles; add the source
//     files with hot lines; close the file.
//
// Answers are written to disk next to the recording as they arrive, and profiles are decoded one at
// a time. The size of the answers, the memory to decode one, and the time for all of them are
// limited: [Options.MaxSize], [Options.MaxMemory], [Options.Grace].
//
// A command ([Options.Command]) is started in its own process group, found by its listening
// sockets, recorded as a server, and stopped. Packages ([Options.Packages]) are built as test
// binaries that run twice: for CPU and memory, then for a shorter time for block, mutex and trace.
// When the time is over or the context ends, the binary writes its profiles early (see package
// gotest).
//
// Anything unavailable is listed in the recording's Missing, with a hint; it is an error, and no
// file is left, only if nothing at all could be recorded. Credentials are sent to the target's host
// only, and never appear in the recording or in messages.
//
// [Run] is safe for concurrent use. It owns all that it starts, and stops it before it returns. The
// package does not print, and does not present profiles: see internal/cli and internal/report.
package collect
