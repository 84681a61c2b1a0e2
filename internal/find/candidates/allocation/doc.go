// Package allocation proposes changes of how often values are allocated: in the caller's memory, several at once,
// together with what they refer to, or only when they are needed.
//
// Data flow: package candidates calls each generator with a hot line, as a Site; the generator reads
// the syntax around it and returns edits. Generators have no state, and may be called concurrently.
//
// They do not know what the compiler inlines and what escapes: package prove measures it.
package allocation
