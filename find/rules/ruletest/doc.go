// Package ruletest tests rules.
//
// Data flow: Run takes each folder of a rule's testdata as a package, runs the rule on it and
// holds what it reports against the comments
//
//	code // want `regular expression of the message`
//
// of the same line: what is not wanted, and what is wanted and does not come, fails. It applies
// all suggested fixes at once, compares each changed file with its FILE.golden (which -update
// writes), and builds the result. Where a package has
//
//	func Try(r *rand.Rand) string
//
// (math/rand/v2; package test/values draws inputs) it is run with many seeds before and after: it
// must return the same, which is how a fix is shown to keep behaviour.
//
// The package is for tests only. It keeps nothing.
package ruletest
