// Package twin writes the new version of a package into a directory below the old one, so that one
// program can contain both.
//
// Data flow:
//
//  1. New takes a scratch copy of a module, with the old version, and the files that change.
//  2. CopyPackage writes the new version of a package, without its tests, with its assembly and the
//     files that it may embed. Imports of packages in Paths become imports of their new versions. A
//     package main gets another name, since a program cannot be imported. No line gets another number.
//     Restore undoes these changes. ChangedAssembly finds the functions whose assembly differs.
//  3. ChangedLines finds the lines that differ in functions of both versions, and UsedLines takes those
//     that use what has changed. Cover profiles of runs that are added to the Coverage show which blocks
//     on these lines ran.
//  4. Write adds further files. Remove removes everything that was written.
//
// A *SeparateError says why a package cannot be copied: cgo, go:linkname that defines a symbol of another
// package, assembly that names the package's import path, or embedded files that are too large. A Copy belongs
// to the caller and is not safe for concurrent use. The package builds and runs nothing.
package twin
