// Package versions reads the two versions of a module that a proof compares: A, before a change, and
// B, after it.
//
// Data flow:
//
//  1. Work, Revisions, Dirs and Patch name a pair: uncommitted work and HEAD, two revisions, two
//     directories, or a directory without and with a patch. The repository is only read: a revision
//     is written to a separate directory through a temporary index.
//  2. Fill writes the files of A to a scratch directory.
//  3. Changed returns the files that differ in B, with both contents.
//
// A symbolic link or a submodule that changes is listed but not followed. A patch of one, of a
// binary file, or of a path outside the repository is refused.
package versions
