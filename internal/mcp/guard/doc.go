// Package guard limits what clients of a server can name: files, modules, packages, addresses and changes.
//
//  1. [New] opens the roots. Methods of [Roots] resolve names, with their symbolic links, and refuse
//     those outside. Existing files, recordings, new files and modules differ in what else is refused.
//  2. [CheckPackages], [CheckRegexp] and [CheckTarget] refuse what could be read as a flag or a command,
//     and other machines.
//  3. [NewCandidate] reads a patch, or makes one of edits, and refuses what is not to be tried.
//
// Roots do not change and may be used by several goroutines. The package runs nothing, and writes nothing. Between a
// check and the use of a name, another process of the user may change what the name refers to.
package guard
