// Package written writes benchmarks for functions that no benchmark of a module runs.
//
// Data flow:
//
//  1. Generate takes a type-checked package, and functions of it with the relevant lines. For each
//     it writes a benchmark into a test file of the same package; for a function that cannot be
//     called with values that can be made, it writes benchmarks of its callers.
//  2. Inputs come from the makers of package internal/fix/differ, which make typical values here instead of
//     edge cases: of several sizes, from the words in the package's code and tests, requests with
//     the headers that browsers send, writers that discard. The benchmark tries inputs first and
//     takes those on which a call returns without a panic and, if possible, without an error.
//  3. If a call leaves its input unchanged, the call is repeated, and readers are rewound before
//     each call. Otherwise inputs are made again while the timer is stopped.
//  4. If the lines are in a function literal, the loop calls the function that is returned; the
//     function itself is called before the loop.
//
// Generate has no state. Package fix determines whether a benchmark runs the lines, and runs it on
// both sides of a comparison with the same inputs. A written benchmark is for comparing: it does
// not show how fast the function is on the inputs that a service gets.
package written
