// Package input opens what a user names: recordings, pprof files of any format, addresses
// that serve profiles, standard input ("-").
//
// Data flow:
//
//  1. An [Opener] says how arguments are read: headers for addresses, standard input, limits.
//  2. [Opener.Open] opens the arguments, several at a time. Files are told apart by how they
//     begin; addresses are completed with the profile that is wanted, fetched to a temporary
//     file, then read.
//  3. Of a recording the profile that [Options] name is taken, or the one that most want.
//     The profiles are merged and the base is subtracted: of recordings under load, scaled to
//     as many requests (recording/work).
//  4. Own code is decided by the recording's build, the binary, the go.mod around the working
//     directory or the source paths ([OwnCode]).
//  5. The result is an [Input]: a profile.View bound to the query, with the recording, own
//     code, a finder for source, and warnings for whoever reads a view of it.
//
// What reads other things of the same arguments uses [Opener.Document] (any part of a
// recording, texts of the runtime), [Opener.Trace] (the index of an execution trace),
// [Opener.Kinds] (all profiles that say what a program costs) or [Opener.CPU].
//
// An Opener may be used by several goroutines. Inputs, Kinds, Documents and Traces belong to
// whoever opened them and must be closed; profiles stay valid after that. Hints name the
// flags of the command line.
//
// The package keeps no state, but for the cache of trace indexes (trace/cache). It does not
// record (see collect) and renders nothing.
package input
