// Package syntax determines what changed source files declare and use, from their syntax alone.
//
//  1. [KindOf] divides changed files into code, tests and others.
//  2. [Read] reads the declarations of each version of a package; [Declarations.Compare] lists those
//     that differ in more than comments and layout, and [ChangedFunctions] the functions among them.
//  3. [Suspects] and [Refuse] name what a change adds that tests and benchmarks cannot judge. Suspects
//     also compares the state that functions store between calls (state.go), which effects they have
//     (effects.go), and the constants that they compare with (testconstants.go).
//
// It runs nothing, and reads nothing that a package imports: names are resolved within the package.
package syntax
