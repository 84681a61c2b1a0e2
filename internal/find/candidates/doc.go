// Package candidates proposes changes of hot lines. A candidate may be wrong: it compiles, and is
// plausible, but only package prove decides whether the code behaves the same and is faster.
//
// Data flow:
//
//  1. Package find names the hot lines of a package that have no rewrite of a rule, with their costs
//     by kind.
//  2. For each line, the generators that are about one of these kinds read the typed syntax around
//     it, and propose edits.
//  3. The package is type-checked with each proposal. What does not compile is dropped.
//
// A generator differs from a rule: a rule's rewrite must be right wherever it is offered, while a
// generator may assume what it states in Assumes. It must not propose what is known to be wrong:
// memory that is used again while others refer to it, bytes taken for runes, nil that becomes empty.
//
// Propose may be called concurrently for different packages. Candidates belong to the caller.
//
// The package does not measure or apply anything.
package candidates
