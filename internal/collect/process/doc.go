// Package process starts commands and inspects their processes.
//
//  1. [Start] starts a [Command] in its own process group, so that signals reach all the processes
//     that it starts and a Ctrl-C meant for whet does not. Its output is passed on, and the end of
//     it kept for messages.
//  2. [Child.Addresses], [Tree] and [CPU] report where the command listens, which processes it
//     consists of, and how much CPU time they have used: from /proc and the processes' clocks, on
//     Linux. Elsewhere addresses are taken from the command's output, and the rest is unavailable.
//  3. [TakeSample] reads memory, threads and CPU time of any process from /proc.
//  4. [Child.Stop] ends the whole group, first with signals that it can handle. On Linux the kernel
//     kills the command when whet itself is killed, but not the processes that the command has
//     started.
//
// A Child is safe for concurrent use. One goroutine waits for the command and ends with it; another
// copies its output. The package does not print, and does not deal with profiles and requests.
package process
