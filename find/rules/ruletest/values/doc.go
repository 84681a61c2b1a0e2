// Package values draws inputs for tests of rewrites: those that break them more often than others.
//
// Data flow: a test's Try asks for values, drawn from its generator, so that a seed repeats them.
// The package has no state.
package values
