// Package driver loads packages of a module and runs analyzers on them.
//
// Data flow:
//
//  1. Load gets packages from the go command: their syntax and types from source, the types of
//     their imports from the export data in the build cache. That makes it fast: only the packages
//     to analyze are type-checked.
//  2. Run runs analyzers, and the analyzers that these require, on one package, without facts: an
//     analyzer knows only the types of other packages.
//
// A loaded package is read-only; Run may be called concurrently for different packages.
//
// The package is not a linter: the checkers of golang.org/x/tools, which type-check all imports
// from source to have facts, are much slower.
package driver
