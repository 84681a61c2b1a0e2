// Package functions finds the functions of a source file by line.
//
// Data flow: Parse reads the text once; which functions, closures and loops begin where is determined
// when it is first needed.
//
// A File is not safe for concurrent use.
//
// The package has no types of expressions: files that do not build have functions, too.
package functions
