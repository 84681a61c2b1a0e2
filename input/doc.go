// Package input opens the arguments of commands: recordings, pprof files in any format, addresses
// that serve profiles, standard input ("-").
//
// Data flow:
//
//  1. An [Opener] configures how arguments are read: headers for addresses, standard input,
//     limits.
//  2. [Opener.Open] opens the arguments, several at a time. File types are recognized by their
//     first bytes. An address is completed with the requested profile; its response is downloaded
//     to a temporary file and then read.
//  3. From a recording, the profile that [Options] select is used, or the most useful one. The
//     profiles are merged and the base is subtracted; for recordings under load, the base is first
//     scaled to the same number of requests (recording/work).
//  4. Own code is determined from the recording's build, the binary, the go.mod around the working
//     directory or the source paths ([OwnCode]).
//  5. The result is an [Input]: a profile.View bound to the query, with the recording, own code, a
//     finder for source, and warnings for the reader of any view.
//
// Callers that read something else from the same arguments use [Opener.Document] (any part of a
// recording, text output of the runtime), [Opener.Trace] (the index of an execution trace),
// [Opener.Kinds] (all profiles that measure what a program costs) or [Opener.CPU].
//
// An Opener is safe for concurrent use. Inputs, Kinds, Documents and Traces belong to the caller
// and must be closed; profiles stay valid after that. Hints mention flags of the command line.
//
// The package keeps no state except the cache of trace indexes (internal/trace/cache). It does not
// record (see collect) and does not render.
package input
