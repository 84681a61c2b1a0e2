// Package terminal makes text that comes from elsewhere safe to print: names in profiles,
// answers of servers, messages with either in them.
//
// Data flow:
//
//  1. Whatever is foreign passes [Clean] or [CleanText] on its way into a text.
//  2. Whatever writes JSON for a terminal writes through [JSON].
//  3. Writers of other formats ask [Unsafe] what they have to escape.
//
// The package holds no state, may be used by many goroutines, and writes nothing.
package terminal
