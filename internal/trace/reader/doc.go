// Package reader is the only way to open execution traces, of any origin.
//
// golang.org/x/exp/trace holds a generation in memory and trusts its input: it panics on some
// damaged traces, and a crafted trace can make it use any amount of memory. Therefore
//
//  1. a guard checks the head of each batch before the reader gets it, and ends a trace that
//     exceeds the limits;
//  2. panics become errors of the trace;
//  3. what is alive at one time is limited: [Reader.ReadEvent] counts it.
package reader
