// Package trace reads Go execution traces.
//
// Data flow:
//
//  1. A trace is a stream of generations, each with its own tables of stacks and strings;
//     golang.org/x/exp/trace decodes and orders the events.
//  2. [Waits] makes one pass over the events and keeps, for each live goroutine, its state, since
//     when it has been in it, and who created it. Stacks are interned, so that equal ones of
//     different generations are stored once.
//  3. The [WaitReport] lists the goroutines that exist when the trace ends.
//
// The package needs the memory of one generation (the runtime starts a new one about every second)
// plus a bounded table of goroutines; it does not grow with the trace's length. The result belongs
// to the caller.
//
// The package does not read goroutine profiles or dumps: package goroutines joins them with the
// trace.
package trace
