// Package window selects what the first view of a timeline's window shows.
//
// [New] queries a timeline for the rows that matter most, their spans, and the stacks and goroutines
// that these refer to. The package keeps no state.
package window
