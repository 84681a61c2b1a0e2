// Package failures remembers the candidates that whet fix tried and dropped, for the assistants that
// look at the same lines later.
//
// Data flow:
//
//  1. whet fix passes the attempts of a run to [Remember], which adds those of candidates that were
//     dropped to a file in the user's cache: one for each module, with at most 200 entries.
//  2. [On] returns the entries of a line: those for its file and function whose code is still the
//     same. Code that has changed has none.
//
// The file is replaced as a whole, so readers never see a part of it. Of two programs that write at
// once, the last one wins. Removing the file loses nothing but advice.
package failures
