// Package events writes the events of an execution trace as lines of JSON, those that a filter chooses.
//
// Data flow:
//
//  1. golang.org/x/exp/trace decodes and orders the events, one at a time; no index is needed.
//  2. Each becomes an [Event]: flat, with the same names in JSON and in filters.
//  3. A [Filter] is an expression of github.com/expr-lang/expr, checked and compiled once.
//  4. What passes is written; reading stops at the window's end, or after as many as are wanted.
//
// Memory is that of the trace's reader: one generation. Stacks are looked up only where they are
// written, or asked for by the filter. A Filter is for one goroutine at a time.
package events
