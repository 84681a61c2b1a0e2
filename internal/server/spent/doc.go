// Package spent divides what was recorded by whose code it is spent in: own code, dependencies, the standard
// library, and the parts of the runtime.
//
//  1. [By] looks at the leaf of each stack, and above it where the runtime works for others.
//  2. [Kinds] is the kind of a node's code, as frames of flame graphs have it.
package spent
