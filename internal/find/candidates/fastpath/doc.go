// Package fastpath has generators of candidates that handle the common case of a call in place: short numbers,
// texts that need no change, names in their canonical form, values of the usual type.
//
// Data flow: package candidates calls each generator with a hot line, as a Site; the generator reads the syntax
// around it and returns edits. The old call stays for all other cases.
//
// Generators have no state, and may be called concurrently for the sites of different packages.
//
// The package does not know which case is common: package prove measures it.
package fastpath
