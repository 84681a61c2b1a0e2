// The command bigtrace writes the execution trace of a loaded server, as large as asked for, to measure
// whet trace with.
//
//	go run ./internal/bigtrace -o big.trace -events 10000000
//
// Data flow:
//
//  1. main starts itself once more as a server on the loopback interface, in its own process: handlers
//     with locks, channels, allocations and goroutines that they start, and a task with regions and a log now
//     and then.
//  2. Package load keeps it busy from this process.
//  3. The server writes its own trace into the file until that is large or long enough, and stops tracing, so
//     that the trace is whole.
//
// It ends what it starts, checks first that the disk has room, and takes ten minutes at most.
package main
