// Package support has the makers of values, the comparison of two functions, and what else the tests of
// package differ need next to the code that they generate. Its text files are Go source, which is
// compiled into the user's package, so they use only the standard library, and none of the builtin
// functions new, which packages declare as a constructor, and min, max and clear, which packages from
// before Go 1.21 may declare.
package support
