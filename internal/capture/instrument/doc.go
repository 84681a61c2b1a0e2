// Package instrument writes the overlay with which the go command builds a program that copies calls of its functions.
//
// Data flow:
//
//  1. [Make] loads the packages of the module that are built, and chooses functions by their symbols.
//  2. A reader walks the statements of each function, and of those that it calls in these packages, and makes a
//     [support.Plan] for each argument: what of the memory that it refers to the function reads or writes before
//     anything that may synchronize it with other goroutines: locks, atomics, channels, and calls whose code is
//     unknown. To read the same at the start of the call needs no more synchronization than the function has.
//     A loop over all of a slice, by range or by an index below its length, reads all of it; a look-up reads all of
//     a map, since it excludes every write; other indices and parts of slices read nothing that is known. Of a function
//     that may synchronize on some way, only what it reads whichever way it takes counts, since it may hold a lock on
//     another one. A clause of a type switch is the way of its type: its plans are a [support.Case].
//  3. The beginning of each function gets a condition, on the line of its brace, so that no line moves: if the
//     function's gate is open, the arguments are copied, the function calls itself, which shows its results, and
//     returns these. All other calls only load a variable: nothing is deferred, results keep their registers, and
//     arguments stay on the stack.
//  4. Package support is added below the module, with the list of functions and plans. Nothing is written into the
//     user's module.
//
// Functions with compiler directives or cgo, or without arguments, are left out, and so are small ones, which the
// compiler would no longer inline. Those that recover from panics or look at their callers are copied without results.
//
// The package runs the go command and owns nothing that lasts. It does not build; package collect does.
package instrument
