// Package terminal makes foreign text safe to print: names in profiles, answers of servers, messages
// that contain either.
//
// Data flow:
//
//  1. Foreign text passes [Clean] or [CleanText] when it becomes part of another text.
//  2. JSON for a terminal is written through [JSON].
//  3. Writers of other formats call [Unsafe] to know what to escape.
//
// The package has no state, is safe for concurrent use, and writes nothing itself.
package terminal
