// Package gogc defines a rule: the garbage collector runs too often for a small heap.
//
// A collection starts when the heap has grown to twice what survived the last one (GOGC=100).
// Its frequency depends on the allocation rate and on the size of the live heap: a service with
// a few megabytes of live data collects many times a second, and marks all of it each time. A
// larger GOGC lets the heap grow further and makes collections proportionally rarer. GOMEMLIMIT
// bounds the total, and makes the collector work harder near that limit.
//
// # Before
//
//	./service
//
// # After
//
//	GOGC=400 GOMEMLIMIT=1GiB ./service
//
// # Evidence
//
// At least a tenth of the CPU time is spent collecting garbage: in the collector's goroutines
// (runtime.gcBgMarkWorker, bgsweep) and in goroutines that must assist it
// (runtime.gcAssistAlloc). Recordings of services also contain the size of the heap before each
// collection and the number of collections. Benchmarks are excluded, because their heap is not
// that of a service.
//
// # Safety
//
// The program behaves the same but uses more memory: the heap grows to five times the live heap
// with GOGC=400, and to three times with GOGC=200, instead of twice. The machine or container
// must have that memory; with GOMEMLIMIT below its size, a peak costs CPU time instead of
// getting the process killed.
//
// Allocating less is better: look at the findings about source first.
package gogc
