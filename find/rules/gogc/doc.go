// Package gogc defines a rule: collecting garbage takes a large part of a program with a small heap.
//
// The collector starts when the heap is twice what lived after the last collection (GOGC=100). How often that
// is depends on how fast the program allocates and how little of it lives: a service with a few megabytes
// alive collects many times a second, and each time marks all that lives. A larger GOGC lets the heap grow
// further and collects as much less often; GOMEMLIMIT bounds what that may take, and makes the collector
// work harder near it.
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
// At least a tenth of the CPU time goes into collecting garbage: in the collector's goroutines
// (runtime.gcBgMarkWorker, bgsweep) and in those that must help it (runtime.gcAssistAlloc). Recordings of services say how large the heap gets before
// it is collected, and how often that was. Benchmarks are left out: their heap is not that of a service.
//
// # Safety
//
// The program does the same. It takes more memory: with GOGC=400 the heap grows to five times what lives in
// the place of twice, with GOGC=200 to three times. The machine, or the container, must have it; with
// GOMEMLIMIT below that a peak costs time and not the process. To allocate less is the better way: the
// findings about source come first.
package gogc
