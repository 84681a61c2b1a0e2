// Package pool defines a rule: a sync.Pool that costs, keeps too much, or hands out what another still uses.
//
// A pool takes interfaces. A slice or a struct that is put in by value is copied to the heap each
// time, which is the allocation that the pool was for; a pointer is not. A pool of values of a few words
// costs more than to allocate them, and one of strings.Builder saves nothing, since Reset lets the
// memory go. A buffer that grew once keeps its size for as long as it goes round. A buffer
// that is not reset shows one request what another wrote, and bytes that are returned after their
// buffer was put back are written over by whoever gets it next.
//
// # Before
//
//	pool.Put(scratch) // []byte
//
// # Evidence
//
// Boxing: runtime.convTslice and its kin below the line of Put in the CPU profile, the line itself in
// the profile of allocations. Small values: (*sync.Pool).Get and Put in the CPU profile. What keeps
// memory or leaks data shows in no profile; the rule reports it when it runs alone.
//
// # Safety
//
// The rule only reports. A pointer must go through Get, New and all that lies between; how large a
// buffer may stay, and where it is reset, is for who knows the data. What is returned from a pooled
// buffer must be a copy.
package pool
