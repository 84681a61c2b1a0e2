// Package listings renders costs next to source text and machine code.
//
// Data flow:
//
//  1. Package listing joins the lines or instructions of a view with text and code; [NewList] and
//     [NewDisasm] make documents of the result.
//  2. [WriteList] and [WriteDisasm] write the documents as text.
//
// The package holds no state.
package listings
