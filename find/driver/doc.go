// Package driver loads packages of a module and runs analyzers on them.
//
// Data flow:
//
//  1. Load asks the go command for packages: their syntax and types from source, the types of
//     what they import from the build cache's export data. That is what makes it fast: only
//     packages that are looked at are checked.
//  2. Run runs analyzers, and what these require, on one package, without facts: what an
//     analyzer knows of other packages is their types.
//
// A loaded package is read only; Run may be called for different packages at once.
//
// The package is not a linter: golang.org/x/tools' checkers, which type-check everything that is
// imported from source to have facts, are slower by far.
package driver
