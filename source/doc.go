// Package source finds the text of the source file that a frame of a profile refers to, from any
// available copy.
//
// Data flow:
//
//  1. [NewFinder] takes what is known about the program: files in a recording, working trees,
//     modules from the build info, GOROOT, the module cache.
//  2. [Finder.File] tries them in that order, from the most reliable (the text recorded with this
//     build) to the least (a file in the working tree whose path has the same suffix), and returns
//     the lines and their origin. [Finder.Local] does the same for files on this machine only, and
//     returns a path that can be edited.
//  3. A [NotFoundError] lists every location that was tried and what to do next.
//
// A Finder is safe for concurrent use. The slices it returns are shared and must not be modified.
// The paths in a profile are untrusted input: paths with ".." never leave the directory they are
// joined to, and only regular files of bounded size are read.
//
// The package downloads nothing and knows nothing about profiles. Package objfile reads machine
// code, and the lines and inlined calls of an address.
package source
