// Package linebuffer is the code that rule logline inserts into a package whose log costs a system
// call per line. It is a separate package so that it is compiled and tested.
//
// Data flow:
//
//  1. A logger writes each line, in one call, to a lineBuffer instead of a file.
//  2. The first pending line starts a timer. All pending lines are written at once when the buffer
//     is full, after a second at the latest, and when the buffer is closed.
//  3. Lines after that, and lines longer than the buffer, are written immediately.
//
// A lineBuffer is safe for concurrent use; only one goroutine at a time writes to its destination.
// It starts no goroutine, and close stops its timer. Nothing is exported: the rule takes the text
// of linebuffer.go after the imports.
//
// Pending lines are lost if the program crashes or ends without close.
package linebuffer
