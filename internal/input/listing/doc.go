// Package listing joins the costs of a profile with source text and machine code.
//
// Data flow:
//
//  1. [List] takes the lines of a view with costs, what is inlined into them and what they call;
//     [Disasm] the instructions.
//  2. Text and code come from functions that the caller passes in; the package opens no files.
//
// The package holds no state.
package listing
