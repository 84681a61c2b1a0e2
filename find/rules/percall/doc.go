// Package percall defines a rule: a value that only constants go into is built on each call.
//
// Compiling a regular expression, building a replacer, an encoding or a table takes hundreds to
// tens of thousands of nanoseconds and allocates; the result is the same each time, and safe for
// concurrent use. It belongs in a package variable.
//
// # Before
//
//	func clean(name string) string {
//		return strings.NewReplacer(":", "_", "|", "_").Replace(name)
//	}
//
// # After
//
//	// cleanReplacer is built once: nothing in it changes.
//	var cleanReplacer = strings.NewReplacer(":", "_", "|", "_")
//
//	func clean(name string) string {
//		return cleanReplacer.Replace(name)
//	}
//
// # Evidence
//
// The CPU profile has the constructor below the line (regexp.MustCompile, strings.NewReplacer), or
// what is built at the first use of a new value; so does the profile of allocations.
//
// # Safety
//
// The arguments are constants, of which the rule checks that the constructor takes them, so that
// a panic does not move to the program's start. The value is used for nothing but calls of methods
// that do not change it: (*regexp.Regexp).Longest does, and a value that goes elsewhere may be
// changed there; then there is no rewrite. The value stays in memory from then on, and is built when
// the program starts, even if it is never needed.
package percall
