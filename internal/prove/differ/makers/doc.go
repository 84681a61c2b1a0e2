// Package makers writes makers of values: Go functions that make values of a package's types from the
// bytes of a fuzzer, for generated tests and benchmarks of the package.
//
// Data flow:
//
//  1. New takes a package, and the other version of it that the makers must also fit. The makers are
//     compiled into the package, so they can name what it does not export.
//
//  2. Maker returns the name of a maker, and writes it with those that it needs (maker.go):
//
//     func whetMake1(s *whetlib.Source) (v T)
//
//     The methods of whetlib.Source (package support) make basic values, and those types of the standard
//     library that have invariants or record what is done with them. A struct of the module with
//     unexported fields is made by its constructors, if it has any (factory.go), and else field by
//     field; those of another package, which have fields that only its methods can set, are added to one another by
//     these (adders.go). A value of interface type has one of the module's types that implement it, or else one
//     that records its calls and returns random values. Functions and methods whose results their arguments
//     decide answer questions (function.go). An error is one of the package's own at times
//     (errors.go), and a field or parameter that the package compares with nil is nil at times (nil.go).
//
//  3. If the other version declares a type or a function differently, there is no maker of the type, and
//     no maker calls the function (versions.go).
//
//  4. Code returns the makers. File returns a file with the declarations that use them, and its
//     imports, under names that the package does not declare (names.go).
//
// If no value of a type can be made, Maker returns the reason. A maker whose values lack something is
// partial. The same package gives the same makers.
//
// A Generator is for one file and is not safe for concurrent use. The package reads no files, and builds
// and runs nothing.
package makers
