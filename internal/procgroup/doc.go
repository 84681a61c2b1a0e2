// Package procgroup starts commands as leaders of process groups, so that everything a
// command starts ends with it and a Ctrl-C meant for whet does not reach it.
//
//  1. [Own] prepares a command before it is started; [OwnAndKill] also has the end of the
//     command's context kill the group.
//  2. [Signal] and [Alive] address the group by the leader's process ID.
//
// On Linux the kernel kills the leader when the thread that started it ends, as it does when
// whet is killed. Where there are no process groups only the command itself is killed.
//
// The package has no state. It does not wait for commands.
package procgroup
