// Package percall defines a rule: a value that depends only on constants is built on every call.
//
// Compiling a regular expression, or building a replacer, an encoding or a table, takes hundreds
// to tens of thousands of nanoseconds and allocates. The result is always the same and safe for
// concurrent use, so it belongs in a package variable.
//
// # Before
//
//	func clean(name string) string {
//		return strings.NewReplacer(":", "_", "|", "_").Replace(name)
//	}
//
// # After
//
//	// cleanReplacer is built once and never changes.
//	var cleanReplacer = strings.NewReplacer(":", "_", "|", "_")
//
//	func clean(name string) string {
//		return cleanReplacer.Replace(name)
//	}
//
// # Evidence
//
// The CPU profile shows the constructor called from the line (regexp.MustCompile,
// strings.NewReplacer), or the lazy initialization on the first use of a new value; so does the
// allocation profile.
//
// # Safety
//
// The arguments are constants, and the rule checks that the constructor accepts them, so that no
// panic moves to program start. The value is used only to call methods that do not modify it:
// (*regexp.Regexp).Longest does, and a value that is passed on may be modified there, so there
// is no rewrite for these. The value is built when the program starts and stays in memory, even
// if it is never needed.
package percall
