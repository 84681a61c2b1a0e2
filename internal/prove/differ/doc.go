// Package differ writes tests and benchmarks that call functions of a package with generated
// inputs: tests that compare the original of a function with its current version, and benchmarks of
// functions that no benchmark of the module runs.
//
// Data flow:
//
//  1. Generate takes the type-checked original package, and the functions that changed. For each it
//     writes the old one under another name into a test file of the same package, and a fuzz target
//     that makes a receiver and arguments from the fuzzer's bytes, twice, and calls the old and the
//     new function with them, several times on one receiver: the effects of a call show in the next
//     one.
//  2. Everything observable is compared: results, panics, what was written to the writers and
//     loggers among the arguments, which functions were called with what, and the receiver and the
//     arguments afterwards.
//  3. Generic functions are called with the type arguments used in the package's own code, or else
//     with some that their constraints allow. For a function that cannot be called, its callers are
//     called instead. Returned functions and handlers are called, too.
//  4. The support files (support/) contain the makers of values and the comparison. They use only
//     the standard library, because they are compiled into the user's package. An interface that no
//     type of the module implements is implemented by a type that records its calls and returns
//     random values.
//  5. Dump writes tests that print results instead, for two builds of one source; CompareDumps
//     compares what they printed.
//  6. Benchmarks writes benchmarks into a test file of the same package. Their makers of values
//     return typical ones instead of edge cases: of several sizes, from the words in the package's
//     code and tests, requests with the headers that browsers send, writers that discard. A
//     benchmark tries inputs first and takes those on which a call returns without a panic and, if
//     possible, without an error. If a call leaves its input unchanged, the call is repeated, and
//     readers are rewound before each call; otherwise inputs are made again while the timer is
//     stopped. If the relevant lines are in a function literal, the loop calls the function that is
//     returned; the function itself is called before the loop.
//
// A function whose results vary (time, random numbers) is run several times; the new one's result
// must equal one of the old one's, or do so when digits are masked, if the old one's results differ
// only in digits. If no result recurs, their lines are compared.
//
// Inputs on which the old function only panics are counted separately, because they prove little.
// Inputs on which it does not return within seconds are skipped; if only the new one does not
// return, that is a difference.
//
// A type whose values cannot be made results in an *UnsupportedError that names it; nothing is
// claimed for the function. The package has no state. Package fix runs the tests and benchmarks,
// determines whether a benchmark runs the relevant lines, and runs it on both sides of a comparison
// with the same inputs. Such a benchmark is for comparing: it does not show how fast the function
// is on the inputs that a service gets.
package differ
