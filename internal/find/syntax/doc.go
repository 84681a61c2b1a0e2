// Package syntax finds things in the source of a module by line: the function and the loop around a
// line, the calls on it, the lines that a lock covers, whether a function only computes.
//
// Data flow:
//
//  1. [New] takes packages that were loaded with syntax and types (package internal/find/driver),
//     and indexes their files by name and their functions by full name, so that calls between
//     packages are followed although each has its own objects.
//  2. Queries walk the syntax of a file. Sections, purity, and whether a variable is ever changed are
//     kept for the next query.
//
// A Code is not safe for concurrent use. The package knows no profiles and no traces: package
// find/advice joins their lines with it.
package syntax
