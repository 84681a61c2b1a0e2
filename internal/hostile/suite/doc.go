// Package suite runs every command of whet that reads foreign input on all of package hostile's, each as a process
// of its own, and measures what it takes: `make hostile`.
package suite
