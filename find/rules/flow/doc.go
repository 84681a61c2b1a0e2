// Package flow answers questions of rules about how values move within a function: which function a
// call refers to, where a variable is used and set, what is in a loop.
//
// It works on syntax and types. Answers are conservative: an unknown counts as the answer that
// keeps a rule silent. The package has no state.
package flow
