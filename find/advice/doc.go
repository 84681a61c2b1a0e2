// Package advice finds causes of cost that no single line shows: queries in a loop, locks held
// during I/O, goroutines that never end, memory that only grows, calls that wait for each other
// without need, work that each request repeats.
//
// Data flow:
//
//  1. [Traces] keeps, of execution traces, where requests wait and which goroutines wait for locks,
//     and what the holders do meanwhile (packages trace/requests and internal/trace/contention).
//  2. [Find] reduces every stack, of traces and profiles alike, to a path: its own lines, innermost
//     first, and marks for what is called below them.
//  3. The syntax of the packages that contain these lines shows what a profile cannot: whether a line
//     is in a loop, which lines a lock covers, whether a map ever loses an entry, whether one call
//     needs the result of another.
//  4. Each kind of advice joins both. It is given only where the recording has the cost and the
//     source has the cause, because there is no proof of a rewrite that could catch an error: what
//     to change is a matter of design.
//
// Find is a function of its input, which it does not change, and keeps nothing. The package does
// not rewrite source, does not charge samples to findings, and writes no reports.
package advice
