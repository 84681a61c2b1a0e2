// Package flow answers what rules ask about how values move within a function: which function a
// call means, where a variable is used and set, what is in a loop.
//
// It works on syntax and types; rules that need more take golang.org/x/tools/go/ssa themselves
// (through the analyzer buildssa). Answers are on the safe side: "not known" counts as the answer
// that keeps a rule quiet. The package has no state.
package flow
