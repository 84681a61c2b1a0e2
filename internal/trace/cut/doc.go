// Package cut makes a smaller trace of a large one: what happened between two times.
//
// Data flow:
//
//  1. Since Go 1.22 a trace is a head of 16 bytes and generations, of about a second each. A
//     generation is self-contained: it has its own strings and stacks, and the state of all
//     goroutines and processors when it begins.
//  2. Generations are read batch by batch, by the heads of batches alone, and those that overlap
//     the window are written unchanged.
//  3. In the last one, events after the window's end are left out; the states from the generation's
//     begin are kept, or goroutines that only wait would be missing. Clocks of processors may
//     differ a little, so that an event before the end may need one after it: the result is read
//     with golang.org/x/exp/trace, and if that fails, a little more is kept, or the whole
//     generation.
//
// A trace's bytes, of Go 1.26:
//
//	"go 1.26 trace\0\0\0"
//	{ batches of a generation, 52 }
//	batch = 1, or 49 and an experiment's number; generation, thread, time, length, that many bytes
//
// Before Go 1.26 there was no byte 52: a generation ended where a batch had another number. All
// numbers are varints.
//
// The package needs the memory of two generations. It keeps what precedes the window within its
// first generation: otherwise it would have to invent the states there.
package cut
