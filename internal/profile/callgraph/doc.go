// Package callgraph chooses the part of a profile's call graph that fits into a drawing.
//
// Data flow:
//
//  1. View.Graph has all nodes and calls.
//  2. [Choose] keeps the heavy nodes whose calls are the most informative, and the edges that a
//     reader needs to follow the cost.
//
// The choice is that of go tool pprof. The package holds no state.
package callgraph
