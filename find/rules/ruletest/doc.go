// Package ruletest tests rules.
//
// Data flow: Run treats each directory of a rule's testdata as a package, runs the rule on it and
// compares its diagnostics with the comments
//
//	code // want `regular expression of the message`
//
// on the same lines: unexpected and missing diagnostics fail. The text compared is that of the
// diagnostic, and "; no rewrite: " with the reason if it has one. A diagnostic without a fix needs a
// reason, unless its cause never has a fix and says what to do by hand. Run applies all suggested fixes at
// once, compares each changed file with its FILE.golden (which -update writes), and builds the
// result. If a package has
//
//	func Try(r *rand.Rand) string
//
// (math/rand/v2; package ruletest/values generates inputs), it runs before and after the fixes with
// many seeds and must return the same, which shows that a fix keeps behavior.
//
// A package is in a module for Go 1.26, or for the version in its file go.version, such as 1.17.
//
// The package is for tests only. It has no state.
package ruletest
