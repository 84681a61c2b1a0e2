// Package upstream looks for findings and candidates in the dependencies of a module, on the lines that
// cost the recorded program.
//
// Data flow:
//
//  1. [Modules] chooses the dependencies with the most expensive lines (package find/dependencies) and
//     copies each (internal/find/modcopy): from the module cache, a replaced directory or a vendor
//     directory, which are only read.
//  2. Rules and generators of package find run on the copy, as if the dependency were the own code of the
//     profiles. Rules about the program as a whole do not.
//
// A [Module] has what package fix needs to prove what was found. Its copy is in the directory that the
// caller names, and belongs to the caller. Rewrites are for the dependency's authors: nothing is written
// to the module that uses it.
package upstream
