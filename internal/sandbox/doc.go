// Package sandbox runs code that is not trusted: without a network, and able to write files only in a
// directory. It exists on Linux only.
//
//  1. Enter runs this program again in separate user and network namespaces with a loopback interface.
//     Services and the load that is sent to them are in it together.
//  2. Command returns a command line that begins with this program and ends with another one. Main
//     restricts the process with Landlock to writing below a directory and to devices such as
//     /dev/null, also for all processes that it starts, and then executes the other program. What it
//     may read is not restricted.
//
// Supported reports what the kernel lacks.
package sandbox
