// Package diag defines the error that carries a hint, what to do next, and the warning.
//
// Data flow:
//
//  1. Code that knows what to do about a failure returns an [*Error] with a Hint.
//  2. Callers wrap it with fmt.Errorf and %w like any other error.
//  3. The command line prints the chain as one line and below it the [Hint] of the innermost
//     cause that has one, and exits with the [Kind]'s code.
//
// A [Warning] is something that the reader of a result must know, but that is not an error. Engines return
// [Warnings], documents have them as "warnings", and commands print them to standard error.
//
// Values are immutable after construction and may be shared. The package does not print and does
// not exit; it imports only the standard library.
package diag
