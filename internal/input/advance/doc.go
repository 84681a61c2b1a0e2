// Package advance reports how far a trace is read.
//
// Data flow: [Trace] wraps what opens a trace, and returns what package trace/index calls while it builds an index.
// Both are used by one goroutine each.
package advance
