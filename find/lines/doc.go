// Package lines lists the lines of a module on which the compiler has notes, with the notes and the
// cost of each line, most expensive first.
//
// Data flow:
//
//  1. Package find charges the samples of profiles to lines, when there are profiles.
//  2. Package find/notes returns the compiler's notes on the packages.
//  3. Notes of the requested kinds are grouped by file and line, and sorted by cost, then by file
//     and line. The source of each listed line is read.
//
// A Result belongs to the caller.
//
// The package does not judge: whether a note matters, and what to write instead, is up to package
// find.
package lines
