// Package workorder describes an expensive line of a module to whoever is to make it faster: a
// program, an assistant or a person.
//
// Data flow:
//
//  1. [New] charges profiles to the lines of the module (package find).
//  2. [Maker.Order] reads the function around a line, and collects what the profiles show there: the
//     cost of the line, the callers and callees of the function with their shares, the lines that
//     allocate, and the compiler's notes.
//  3. Callers add what they know: a finding of package find, the benchmarks that run the line, and
//     the candidates that failed, with the input on which they behave differently.
//
// An Order belongs to the caller, and encodes to JSON as it is. A Maker is safe for concurrent use.
// The package does not judge, and does not run code of the module.
package workorder
