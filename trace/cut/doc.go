// Package cut makes a smaller trace of a large one: what happened between two times.
//
// Data flow:
//
//  1. Since Go 1.22 a trace is a head of 16 bytes and generations, of a second or so each. A
//     generation is whole by itself: it has its own strings and stacks, and says in what state all
//     goroutines and processors are when it begins.
//  2. Generations are read batch by batch, by the heads of batches alone, and those that overlap
//     the window are written as they are.
//  3. In the last one, events after the window's end are left out; the states that those events
//     tell of the generation's begin are kept, or goroutines that only wait would be missing.
//     Clocks of processors may differ a little, so that an event before the end may need one after
//     it: what was made is read with golang.org/x/exp/trace, and if that fails, a little more is
//     kept, or the whole generation.
//
// A trace's bytes, of Go 1.26:
//
//	"go 1.26 trace\0\0\0"
//	{ batches of a generation, 52 }
//	batch = 1, or 49 and an experiment's number; generation, thread, time, length, that many bytes
//
// Before Go 1.26 the byte 52 was not there: a generation ended where a batch had another number.
// All numbers are varints.
//
// Memory is that of two generations. The package does not cut what came before the window within
// its first generation: the states there would have to be made up.
package cut
