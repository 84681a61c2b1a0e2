// Package linebuffer is the code that rule logline writes into a package whose log costs a system
// call for each line. It is its own package so that it is compiled and tested as what it is.
//
// Data flow:
//
//  1. A logger writes each line, whole, into a lineBuffer instead of a file.
//  2. The first line that waits starts a timer. When the room is full, after a second at the latest,
//     and when the buffer is closed, all lines are written at once.
//  3. What comes later, and what is longer than the room, is written as it comes.
//
// A lineBuffer may be used by several goroutines at once; what is below it is written to by one at a
// time. It has no goroutine, and its timer is stopped by close. Nothing is exported: the rule takes the
// text of linebuffer.go, behind the imports.
//
// It does not write at a crash, nor when the program ends without close.
package linebuffer
