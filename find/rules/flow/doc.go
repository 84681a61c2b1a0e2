// Package flow determines, for rules, how values move within a function: which function a call
// refers to, where a variable is used and set, what is in a loop.
//
// It works on syntax and types. Answers are conservative: if something is unknown, the answer is
// the one for which no rule reports anything. The package has no state.
package flow
