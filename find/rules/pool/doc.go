// Package pool defines a rule: a sync.Pool that does not pay off, retains too much, or hands out
// a value still in use.
//
// A pool stores interfaces. A slice or struct that is put by value is copied to the heap each
// time, which is the allocation that the pool was meant to save; a pointer is not. A pool of
// values of a few words costs more than allocating them, and a pool of strings.Builder saves
// nothing, because Reset drops the memory.
//
// A buffer that once grew large stays large for as long as the pool holds it. A buffer that is
// not reset leaks the data of one request to another, and bytes that are returned after their
// buffer was put back are overwritten by its next user.
//
// # Before
//
//	pool.Put(scratch) // []byte
//
// # Evidence
//
// Boxing: the CPU profile shows runtime.convTslice and similar functions called from the line of
// Put; the allocation profile charges the line itself. Small values: the CPU profile shows
// (*sync.Pool).Get and Put. Retained memory and leaked data appear in no profile; the rule
// reports them when it runs without one.
//
// # Safety
//
// The rule only reports. A pointer must be used in Get, in New and everywhere in between; how
// large a buffer may stay and where it is reset depends on the data. What is returned from a
// pooled buffer must be a copy.
package pool
