// Package sites has hot lines with the typed syntax around them, for generators of candidates.
//
// Data flow: New prepares a package once; At returns the site of a line. Its methods find what is on
// the line, and answer what several generators need to know about variables and loops.
//
// A Package is not safe for concurrent use, because the names that it returns are unused ones.
//
// The package does not decide what may be changed.
package sites
