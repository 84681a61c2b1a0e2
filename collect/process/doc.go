// Package process starts commands and looks at the processes that they are.
//
//  1. [Start] starts a [Command] in its own process group, so that signals
//     reach all that it starts and a Ctrl-C meant for whet does not. Its output is
//     passed on, and its end kept for messages.
//  2. [Child.Addresses], [Tree] and [CPU] tell where the command listens, which
//     processes it consists of, and how much CPU time these have used: by
//     /proc and the processes' clocks, on Linux. Elsewhere addresses come from
//     what the command prints, and the rest is not known.
//  3. [Child.Stop] ends the whole group, asking first. On Linux the kernel kills the
//     command when whet itself is killed; what the command has started is then on
//     its own.
//
// A Child may be used by many goroutines. One goroutine waits for the command and
// ends with it; another one copies its output. The package prints nothing and
// knows nothing of profiles and requests.
package process
