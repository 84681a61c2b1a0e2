// Package lines lists the lines of a module that the compiler says something of, with what it says
// and what they cost, the most expensive first.
//
// Data flow:
//
//  1. Package find charges the samples of profiles to lines, when there are profiles.
//  2. Package find/notes has the compiler's notes on the packages.
//  3. Notes of the requested kinds are grouped by file and line, and put in order: by cost, then
//     by file and line. The source of each line that is shown is read.
//
// A Result belongs to the caller.
//
// The package judges nothing: whether a note costs, and what to write instead, is what find says.
package lines
