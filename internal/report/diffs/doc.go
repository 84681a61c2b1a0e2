// Package diffs compares two profiles and renders the difference.
//
// Data flow:
//
//  1. [NewDiff] joins the costs in A and B by frame, follows lines through edits of the source,
//     and marks changes that sampling noise alone could explain.
//  2. With the load of both recordings, costs are per request and have intervals.
//  3. [WriteDiff] writes the document as text.
//
// The package holds no state.
package diffs
