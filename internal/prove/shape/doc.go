// Package shape compares where two CPU profiles spend time below a function: that of a recording and
// that of a benchmark, which is evidence only if it does what was recorded.
//
//  1. [Subject.Of] charges each stack that contains the function to the innermost line of the module,
//     and to what that line calls; lines count from where their function begins, so that code may
//     have moved.
//  2. [Similarity] adds up what two such distributions have in common.
//  3. [Share] returns how much of a profile is below some functions.
package shape
