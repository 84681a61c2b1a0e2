// Package memstats reads the runtime's memory statistics at the end of a heap profile in text.
//
// Data flow: Parse reads one text, line by line.
//
// It has no state, and does not judge the values.
package memstats
