// Package versions reads the two versions of a module that a proof compares: A, before a change, and
// B, after it.
//
// Data flow:
//
//  1. Work, Revisions, Dirs and Patch name a pair: work that is not committed against HEAD, two
//     revisions, two directories, or a patch on top of a directory. Git is only read: a revision is
//     written by way of a temporary index, to a separate directory.
//  2. Fill writes the files of A to a scratch directory.
//  3. Changed returns the files that B has otherwise, with both contents.
//
// A symbolic link or a submodule that changes is listed and not followed. A patch that has one, or a
// binary file, or a path outside of the repository, is refused.
package versions
