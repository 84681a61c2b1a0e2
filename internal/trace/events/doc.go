// Package events writes selected events of an execution trace as lines of JSON.
//
// Data flow:
//
//  1. golang.org/x/exp/trace decodes and orders the events, one at a time; no index is needed.
//  2. Each becomes an [Event]: flat, with the same names in JSON and in filters.
//  3. A [Filter] is an expression of github.com/expr-lang/expr, checked and compiled once.
//  4. Events that pass are written; reading stops at the window's end, or after the requested
//     number.
//
// The package needs the memory of the trace's reader: one generation. Stacks are looked up only
// where they are written, or used by the filter. A Filter is not safe for concurrent use.
package events
