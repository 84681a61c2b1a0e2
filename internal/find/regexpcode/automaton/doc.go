// Package automaton makes deterministic automata of regular expressions, with the positions of
// groups.
//
// Data flow:
//
//  1. [Build] follows a program of package regexp/syntax as package regexp's simulation does, for
//     all texts at once. A state is the ordered list of the threads that the simulation would have,
//     and says which registers hold the positions of their groups; an edge moves positions between
//     registers.
//  2. [Automaton.Reduce] drops what has no effect, and merges states and classes of characters.
//  3. Package regexpcode writes the automaton as Go code; [Automaton.Find] runs it, so that tests
//     compare it with package regexp without a compiler.
//
// The number of states, threads and classes is limited. The package has no state; an Automaton may
// be read concurrently once it is made.
package automaton
