// Package suite runs every command of whet that reads foreign input on all input of package
// hostile, each in a separate process, and measures the memory and CPU time used: `make hostile`.
package suite
