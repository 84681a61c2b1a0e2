// Package reader opens execution traces of any origin: the one way to.
//
// golang.org/x/exp/trace holds a generation in memory and trusts what it reads: it panics on some of what is
// damaged, and a trace that was made for it needs any amount of memory. So
//
//  1. a guard looks at the head of each batch before the reader gets it, and ends a trace that is beyond the limits;
//  2. panics become errors of the trace;
//  3. what is alive at once is limited: [Reader.ReadEvent] counts it.
package reader
