// Package codecs has generators of candidates that encode and decode JSON without reflection: functions that
// are written for the types of a call.
//
// Data flow: a generator reads the type that a hot line encodes or decodes, field by field, and declares one
// function for each type in it. These handle the common form of the text, and leave all else to encoding/json:
// an encoder the values that have methods or are in interfaces, a decoder the whole text.
//
// Generators have no state, and may be called concurrently for the sites of different packages.
//
// The package does not compare the two: package prove does.
package codecs
