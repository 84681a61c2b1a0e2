// Package symbols has the stacks and frames of services that a store on ClickHouse has written or read, by the hashes
// that identify them there.
//
// Data flow:
//
//  1. When writing, [Dictionary.Add] finds the stacks of a profile, and [Dictionary.Unstored] returns the rows that are
//     not stored yet.
//  2. When reading, [Dictionary.Missing] names the stacks to read, [Dictionary.Learn] adds them, and
//     [Dictionary.Profile] makes a profile of sums by stack.
//
// A [Cache] bounds the memory of all dictionaries, and is safe for concurrent use; a Dictionary is locked by its user.
// The package sends nothing.
package symbols
