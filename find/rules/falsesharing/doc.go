// Package falsesharing defines a rule: processors write to neighbours in memory and take the line from each other.
//
// Processors own memory in lines of 64 bytes, on some 128. When goroutines on two of them write to
// different variables of one line, each write takes the line from the other, which costs a hundred
// times what the write does. Counters in a slice with an element for each worker, and arrays
// of small structs with a lock or an atomic each, are such neighbours.
//
// # Before
//
//	type shard struct {
//		mu sync.Mutex
//		n  int
//	}
//
//	var shards [16]shard
//
// # After
//
//	type shard struct {
//		mu sync.Mutex
//		n  int
//
//		_ [48]byte // elements do not share a cache line
//	}
//
//	var shards [16]shard
//
// # Evidence
//
// The CPU profile has the line that writes, or methods of sync and sync/atomic below it, although it
// does next to nothing. Locks that are waited for show in the mutex profile, too; these do not.
//
// # Safety
//
// Padding changes no results, but the memory that elements take, and encoding/binary and unsafe see
// it. Somebody must know that elements are written by different goroutines, and how many there are. There is a
// rewrite for structs that are not exported and whose literals name their fields; for counters of workers
// there is none: count in a local variable, and write the sum at the end.
package falsesharing
