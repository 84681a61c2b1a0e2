// Package values draws inputs for tests of rewrites, mostly those that are likely to break them.
//
// Data flow: a test's Try requests values, drawn from its generator, so that a seed repeats them.
// The package has no state.
package values
