// Package notes asks the compiler what it says of the lines of packages: what escapes, what is not
// inlined, which checks of bounds and nil remain.
//
// Data flow:
//
//  1. The go command lists the packages with the build IDs of their compiled form, which stand for
//     the source, the dependencies, the flags and the compiler.
//  2. Packages whose notes are not in the cache under their build ID are compiled once more with
//     -gcflags=-json=0, each into a new directory: the go command does not compile, and the compiler
//     does not write, what is in the build cache.
//  3. The notes are kept in the cache if the build IDs are still the same afterwards, and read.
//
// Results belong to the caller. Compile may run at the same time in several processes with one cache.
//
// The package knows nothing of profiles: see packages find and find/lines.
package notes
