// Package listings renders costs next to source text and machine code.
//
// Package listing joins the lines or instructions of a view with text and code; [WriteList] and
// [WriteDisasm] write the documents of the result as text. The package holds no state.
package listings
