// Package whose says whose code the frames of an execution trace are: own, of the standard library, or of a dependency.
// It has no state.
package whose
