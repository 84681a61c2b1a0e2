// The command bigtrace writes an execution trace of a loaded server, of a given size, to measure
// whet trace with.
//
//	go run ./internal/bigtrace -o big.trace -events 10000000
//
// Data flow:
//
//  1. main starts itself again as a server on the loopback interface, in a separate process:
//     handlers with locks, channels, allocations and goroutines that they start, and now and then
//     a task with regions and a log.
//  2. Package load keeps it busy from this process.
//  3. The server writes a trace of itself to the file until it is large or long enough, then
//     stops tracing, so that the trace is complete.
//
// It stops what it starts, checks first that the disk has enough space, and takes at most ten minutes.
package main
