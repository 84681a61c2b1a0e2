// Package falsesharing defines a rule: CPUs contend for a cache line by writing to neighboring
// variables (false sharing).
//
// CPUs own memory in cache lines of 64 bytes, on some 128. When goroutines on two CPUs write to
// different variables in one line, each write takes the line away from the other CPU, which
// costs a hundred times as much as the write. Typical cases are slices with one counter per
// worker, and arrays of small structs that each contain a lock or an atomic.
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
// The CPU profile charges the line that writes, or methods of sync and sync/atomic called from
// it, although it does almost nothing. Contended locks also appear in the mutex profile; false
// sharing does not.
//
// # Safety
//
// Padding does not change results, but it does change the size of elements, which
// encoding/binary and unsafe can observe. Only someone who knows the program can say whether
// different goroutines write the elements and how many elements there are, so the rewrite needs
// review.
//
// There is a rewrite for unexported structs whose literals name their fields. For per-worker
// counters there is none: count in a local variable and store the sum at the end.
package falsesharing
