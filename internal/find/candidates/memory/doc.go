// Package memory proposes changes of where values are: capacities, arrays of the function, elements in place.
//
// Data flow: package candidates calls each generator with a hot line, as a Site; the generator reads
// the syntax around it and returns edits. Generators have no state, and may be called concurrently.
//
// They do not know how large values are at run time: package prove does.
package memory
