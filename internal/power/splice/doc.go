// Package splice puts declarations of a newer version of a package into an older one, so that
// a release becomes changes as small as a commit.
//
//  1. New parses both versions and resolves their names with go/types. Imports are not read, so
//     names of other packages stay unresolved, which is enough here.
//  2. Changed lists the functions that have another body and the same signature.
//  3. Change writes named declarations of the new version over those of the old one. What they
//     refer to and only the new version has is added, with methods of added types. Imports follow.
//     Everything else is the old version's, to the byte.
//  4. Related lists what the new text refers to and both versions have, but differently: a caller
//     whose change does not build may try again with these.
//
// A Pair is read-only and keeps the source that it was made from. The package reads directories
// (Read), and writes no files.
package splice
