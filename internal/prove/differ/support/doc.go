// Package support has the makers of values, the comparison of two functions, and what else the tests of
// package differ need next to the code that they generate. Its text files are Go source: a package that is written
// into the user's module, so they use only the standard library. Both versions of a package use the same one.
package support
