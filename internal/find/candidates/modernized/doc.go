// Package modernized proposes what the analyzers of golang.org/x/tools/go/analysis/passes/modernize
// suggest on hot lines. They are about newer Go, and some of it is faster.
//
// Data flow: a Generator runs one analyzer on the package of a line, once, and returns the suggested
// fixes that touch the line.
//
// The package has no state. It leaves out analyzers whose fixes do not change what a program does at
// run time.
package modernized
