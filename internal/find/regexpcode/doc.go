// Package regexpcode writes Go functions that do what methods of regexp.Regexp do for one pattern.
//
// Data flow:
//
//  1. [Compile] gets a pattern and the methods that are called. Patterns that are a sequence of
//     classes, or one class to be replaced, become comparisons or a loop ([Shape]).
//  2. Package automaton makes a deterministic automaton of all others, with registers for the
//     positions of the groups that the methods need.
//  3. An emitter writes the automaton as the first of these that is short enough: loops and
//     comparisons that consume the text from left to right, with a search for what a match begins
//     with; a switch of the state, in a loop over the text; for MatchString and Match, a loop
//     that looks up the state in a table.
//  4. A wrapper for each method calls that function: it makes slices, repeats the search, inserts
//     replacements. It treats empty matches, limits, nil and missing groups as package regexp does.
//
// The time for a search is linear in the length of the text. The code needs no package but strings
// or bytes and unicode/utf8, and Go 1.18.
//
// Patterns whose code would be long are not compiled: see the error of [Compile]. Neither are
// Longest, MatchReader, Expand and methods that describe the pattern.
//
// The package has no state; Compile may be called concurrently.
package regexpcode
