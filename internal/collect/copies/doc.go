// Package copies builds and runs programs that copy calls of their functions, for package collect.
//
//  1. [Parse] reads a command of the form go run PACKAGE, and [ParseTest] one of the form go test PACKAGES, which whet
//     builds itself: once as it is, which is measured, and once with copies (package instrument).
//  2. [Rank] selects the functions: those that the user names, or those with the hottest own lines of what was
//     measured.
//  3. [Options.Environment] tells the program where to write what it copies; [Options.Read] reads it. [Options.Bench]
//     and [Options.Test] do all that for the benchmarks and tests of a package.
//
// The caller removes the temporary directories.
package copies
