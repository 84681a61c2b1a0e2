// Package diff compares two profiles.
//
// Data flow:
//
//  1. [New] joins the costs in A and B by frame, follows lines through edits of the source, and
//     marks changes that sampling noise alone could explain.
//  2. With the load of both recordings, costs are per request and have intervals.
//
// The package holds no state.
package diff
