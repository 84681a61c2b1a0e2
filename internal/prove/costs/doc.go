// Package costs compares what two versions of a benchmark need in ways that the benchmark itself does
// not report: at the start of the program, before its loop, after it, and in the whole process.
//
// Data flow:
//
//  1. Probe returns a test file with a benchmark for each one to compare (probe.txt). It runs the other,
//     and appends to a file what the process uses before and after it: memory, goroutines,
//     descriptors, CPU time, and bytes read and written.
//  2. Compare runs these in both builds, several times: with one iteration, with many and without the
//     garbage collector, and with many as usual. It also reads from the runtime how long packages take
//     to initialize.
//  3. A cost is something that every run of B needs more of than every run of A, by more than varies by
//     chance. Noise can hide a cost, but hardly fake one.
//
// What only one version does in the background counts too: the second probe waits until the process
// is idle. On systems that are not Unix, only the size of the program is compared.
package costs
