// Package listings renders costs next to source text and machine code.
//
// Data flow:
//
//  1. [NewList] and [NewDisasm] join the lines or instructions of a view with text from a
//     function that the caller passes in; the package opens no files.
//  2. [WriteList] and [WriteDisasm] write the documents as text.
//
// The package holds no state.
package listings
