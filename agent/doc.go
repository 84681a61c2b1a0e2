// Package agent serves a program's profiles without exposing them to others, and lets short-lived
// programs record themselves.
//
// [Start] serves the runtime's profiles on a separate listener:
//
//  1. The listener is on the loopback interface, or callers must present a credential: a bearer
//     token or a TLS client certificate. Start refuses any other configuration.
//  2. Block and mutex profiling, off by default in Go, are turned on at rates that cost little.
//  3. The usual addresses below /debug/pprof/ answer as [net/http/pprof] does, so go tool pprof and
//     whet need no configuration. The agent adds /debug/pprof/whet, the [Info] of the process. On
//     request it keeps the execution trace of the last seconds, at /debug/pprof/flight, and reports
//     at /debug/pprof/slow the slow requests of handlers wrapped by [Agent.Watch], each marked in
//     that trace.
//  4. [Agent.Close] ends running profiles early, sends what they have, and restores the rates.
//
// [Record] writes a .whet file from inside the program:
//
//  1. It creates a partial file next to the destination, with what is known by then.
//  2. The CPU profile and, for a bounded first window, an execution trace run; block and mutex
//     profiling are on.
//  3. stop collects all profiles, memory statistics, build information and the program's own source
//     files, and renames the file to its destination. The format is that of whet record; see
//     docs/formats/recording.md.
//
// The package does not import [net/http/pprof], because linking that package registers its handlers
// on [http.DefaultServeMux], and every server with a nil handler then serves the profiles to its
// callers. The handlers here use runtime/pprof and runtime/trace, and are not registered anywhere.
// (A program that imports net/http/pprof elsewhere is still exposed.)
//
// The package depends on the standard library only and has no effect on a program that does not
// call it. All functions are safe for concurrent use. CPU profiling, tracing and the two rates
// exist once per process, so use one Agent or one recording at a time: a second one gets only what
// the first does not use, and reports what is missing.
//
// The package does not push data, subtract profiles (the reader does), load the program or measure
// it.
package agent
