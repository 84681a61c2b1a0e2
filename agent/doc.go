// Package agent lets a program be profiled without being exposed, and lets a
// program that ends soon record itself.
//
// [Start] serves the runtime's profiles on their own listener:
//
//  1. The listener is on the loopback interface, or the caller has to show a
//     credential: a bearer token or a TLS client certificate. Everything else is
//     refused when Start is called, not when the first stranger comes by.
//  2. Block and mutex profiling, off in every Go program, are turned on at rates
//     that cost little.
//  3. The usual addresses below /debug/pprof/ answer what [net/http/pprof] would,
//     so that go tool pprof and whet need to know nothing; whet adds
//     /debug/pprof/whet, the [Info] of the process. If asked to, it keeps the
//     execution trace of the last seconds, at /debug/pprof/flight, and tells at
//     /debug/pprof/slow of requests that took long to the handlers of [Agent.Watch],
//     each of which is marked in that trace.
//  4. [Agent.Close] ends profiles under way early, sends what they have, and puts
//     the rates back.
//
// [Record] writes a .whet file from inside:
//
//  1. A file is started beside the destination, with what is known at once.
//  2. The CPU profile and, for a bounded first window, an execution trace run;
//     block and mutex profiling are on.
//  3. stop collects all profiles, memory statistics, build information and the
//     program's own source files, and renames the file to its destination. It is
//     the same format that whet record writes; see docs/formats/recording.md.
//
// The package does not import [net/http/pprof]: that package registers its
// handlers on [http.DefaultServeMux] as soon as it is linked in, so that every
// server with a nil handler would serve the profiles to its callers. The handlers
// here are made of runtime/pprof and runtime/trace, and nothing is registered
// anywhere. (A program that gets net/http/pprof through another import is exposed
// all the same.)
//
// It uses the standard library only and leaves nothing behind in a program that
// does not call it. The functions are safe for use by many goroutines. CPU
// profiling, tracing and the two rates exist once per process, so there should be
// one Agent or one recording at a time: a second one gets what the first leaves
// free, and says what it did not get.
//
// What it does not do: it does not push anything anywhere, does not subtract
// profiles (the reader does) and does not load or measure the program.
package agent
