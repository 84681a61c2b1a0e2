// Package diffs compares two profiles and renders the difference.
//
// Data flow:
//
//  1. [NewDiff] joins the costs of both sides by frame, follows lines through edits of the
//     source, and marks what the noise of sampling alone could explain.
//  2. With the load of both recordings, costs are per request and have intervals.
//  3. [WriteDiff] writes the document as text.
//
// The package holds no state.
package diffs
