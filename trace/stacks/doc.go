// Package stacks interns the stacks of execution traces.
//
// Data flow: each generation of a trace has its own tables, so that the handle of a stack changes
// every second. Add reads the frames of a handle and returns an ID that equal stacks have in the
// whole trace. Each frame is stored once.
//
// A Table is bounded, and reports when it is full. It is not safe for concurrent use.
package stacks
