// Package procfs reads what the system reports about processes, on Linux. Elsewhere there are no
// processes to list, and reading one fails.
//
//  1. [PIDs] lists the visible processes.
//  2. [ReadStat] reads the parent, the group and the CPU time of one from /proc, in hundredths of a
//     second.
//  3. [CPU] reads its CPU time from its clock, which counts nanoseconds.
//  4. [Sockets] lists the sockets that it has open. [Listeners] and [UnixListeners] are those that
//     listen, of all processes.
//
// The package has no state, and its functions may be called concurrently. It looks at single
// processes: package internal/collect/process adds up those of a command.
package procfs
