// Package notes returns the compiler's optimization notes on packages: what escapes, what is not
// inlined, which bounds and nil checks remain.
//
// Data flow:
//
//  1. The go command lists the packages with their build IDs, which identify the source, the
//     dependencies, the flags and the compiler.
//  2. Packages whose notes are not cached under their build ID are compiled again with
//     -gcflags=-json=0, each into a new directory. The directory is new because the go command does
//     not compile what is in its build cache, and then there are no notes.
//  3. The notes are cached if the build IDs are still the same afterwards, and read.
//
// Results belong to the caller. Several processes may call Compile concurrently with one cache.
//
// The package knows nothing about profiles: see packages find and find/lines.
package notes
