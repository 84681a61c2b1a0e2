// Package mutants makes mutants of the changed lines of a package: small errors, such as <
// instead of <=. The more of them tests and inputs notice, the more these prove about the lines.
//
// Data flow:
//
//  1. Make takes a type-checked [Package] and the [Lines] to mutate. Sites are found in its syntax
//     (site.go): expressions, statements and else branches, each with its choices (choices.go).
//
//  2. If there are more mutants than wanted, a sample is taken that is spread evenly.
//
//  3. All mutants of the package are written into its files (write.go), so that one build has them
//     all:
//
//     a < b      (func() bool { if whetMutantIs(7) { return a <= b }; return a < b }())
//     n = 1      if whetMutantIs(8) { } else { n = 1 }
//
//  4. The result is type-checked. A mutant that does not fit is dropped, and the rest is written
//     again (check.go). So mutants of constants, array lengths and other code that must be constant
//     do not exist.
//
//  5. The file of [Set.Support] has whetMutantIs. The environment variable [Env] names the mutant
//     that is active in a process. With [ReachedEnv], the process appends the numbers of the mutants
//     that it reaches to a file.
//
// Functions that remove or overwrite files, start processes, or have compiler directives are left
// alone: an error in them may do harm, or does not build. Whether a mutant is equivalent to the
// original is unknown. The same source gives the same mutants.
//
// A Set belongs to the caller. The package reads no files, and builds and runs nothing.
package mutants
