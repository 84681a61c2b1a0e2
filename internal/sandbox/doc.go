// Package sandbox runs untrusted code without a network, and lets it write only to one directory. It
// works on Linux only.
//
//  1. Enter runs this program again in separate user and network namespaces with a loopback interface.
//     Services and the load sent to them share these namespaces.
//  2. Command returns a command line that begins with this program and ends with another one. Main
//     restricts the process with Landlock to writing below a directory and to devices such as
//     /dev/null, and so all processes that it starts, and then executes the other program. Reading is
//     not restricted.
//
// Supported reports what the kernel lacks.
package sandbox
