// Package cli is whet's command line: flags in, the engines' exported API, a
// report out.
//
// Data flow:
//
//  1. [Main] builds the command tree (one constructor per file, listed in
//     commands) and runs the command that the arguments name.
//  2. A view binds viewFlags, and app.open turns its arguments (recordings, pprof files, addresses,
//     standard input, in any mix) into one input: the profile that --type selects, merged, with
//     bases subtracted, and the matcher that recognizes own code.
//  3. The command computes a document from the input's profile.View and hands it to
//     internal/report, which writes text for people or JSON for programs.
//  4. Errors come back as values; Main prints "whet: …", the hint of a diag.Error if it has one,
//     and returns the exit code: 0 success, 1 failure, 2 usage, 3 a gate that the user requested.
//
// Results go to stdout, everything else to stderr. Color, progress and fitting
// to the terminal's width happen only where the stream is a terminal.
//
// The package keeps no state between calls of Main and starts no goroutine that
// outlives one. It computes nothing: what it shows comes from an engine's API.
package cli
