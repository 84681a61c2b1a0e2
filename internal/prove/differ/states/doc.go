// Package states selects the methods that bring a value into other states before a method of it is compared: a
// scanner must be at a line before it can return a key.
//
// Data flow:
//
//  1. New takes a package that was loaded with syntax and types.
//  2. Methods returns the exported methods of a type that may change what another one does: they have a pointer
//     receiver and assign to it, or call something with it. Those that write fields
//     which it uses come first, then those that use the same fields.
//  3. Methods are left out that may do harm, block, or vary: they, or functions of the package that they call,
//     start goroutines or use files, processes, the network, signals or time.
//
// A Finder is not safe for concurrent use. The package reads no files, and builds and runs nothing.
package states
