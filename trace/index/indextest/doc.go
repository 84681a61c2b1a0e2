// Package indextest helps to test packages that read indexes. It makes a trace of goroutines that
// do a bit of everything, and scans the events of a trace without an index, for comparison.
//
// Data flow:
//
//  1. [Record] runs goroutines under runtime/trace and returns the trace.
//  2. [Scan] reads all events with golang.org/x/exp/trace and keeps every span of everything in
//     memory.
//  3. Tests compare windows of an index with [Scanned.In].
//
// It is for tests of small traces only. Nothing in it is safe for concurrent use.
package indextest
