// Package stacks interns the stacks of execution traces.
//
// Data flow: a trace gives each generation its own tables, so that the same stack has another
// handle each second. Add finds the frames of a handle, and returns the id that equal stacks have
// in the whole trace; frames are kept once.
//
// A Table is bounded, and reports when it is full. It is not safe for concurrent use.
package stacks
