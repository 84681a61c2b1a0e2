// Package repeated proposes changes of work that is done again: lookups, computed values, loads, tables of constants.
//
// Data flow: package candidates calls each generator with a hot line, as a Site; the generator reads
// the syntax around it and returns edits. Generators have no state, and may be called concurrently.
//
// They do not follow calls to see whether they change an operand: package prove does.
package repeated
