// Package written writes benchmarks for functions that no benchmark of a module reaches.
//
// Data flow:
//
//  1. Generate takes a package, with types, and functions of it with the lines that matter. For each
//     it writes a benchmark into a test file of the same package; for a function that cannot be
//     called with values that can be made, benchmarks of functions that call it.
//  2. Inputs come from the makers of package fix/differ, which make typical values here instead of
//     odd ones: of several sizes, of the words of the package's code and tests, requests with the
//     headers that browsers send, writers that discard. The benchmark tries inputs first and takes
//     those on which a call ends without a panic and, if there are such, without an error.
//  3. Where a call leaves its input as it was, it is repeated; what it reads is put back before each
//     call. Otherwise inputs are made anew while the clock stands still.
//  4. Where the lines lie in a function literal, what the function returns is called in the loop, and
//     the function itself before it.
//
// Generate has no state. Whether a benchmark reaches the lines is for package fix to find out, which
// also runs it, on both sides of a comparison with the same inputs. A benchmark that was written
// compares; how fast the function is on the inputs that a service gets, it does not tell.
package written
