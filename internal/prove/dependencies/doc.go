// Package dependencies finds what a change of go.mod may affect: the functions of a module that use packages of the
// modules whose version changes.
//
//  1. [Read] compares the two versions of go.mod: which modules change, and whether everything may, as with another
//     version of Go.
//  2. [Change.Packages] has the go command list which packages depend on those modules.
//  3. [Find] finds the functions that use one of those packages directly, some of many.
//
// It runs no code, and does not judge: package prove compares the functions in two processes.
package dependencies
