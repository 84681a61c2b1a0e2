// Package golist loads Go packages, as golang.org/x/tools/go/packages does, and leaves no process when it is canceled.
//
// That package interrupts go list and waits 5 seconds for it. The go command then ends, but not before the compilers
// that it has started, and if it is killed they go on.
//
//  1. [Load] gives the go command a variable with a unique value in its environment, which all processes that it
//     starts inherit.
//  2. When the context ends, Load kills the processes that have it (Linux only, as it reads /proc), and no
//     file is parsed anymore.
//
// Load is safe for concurrent use. The package does not cache packages.
package golist
