// Package stdio limits the messages of a client that talks on standard input and output, one in a line.
//
//  1. A [Reader] passes messages on. It answers one that is too large with an error, under its ID, without keeping it.
//  2. A [Writer] writes answers, and pairs them with requests. When the client has closed its output, the Reader
//     waits a moment until the last requests are answered.
//
// A Writer may be used by several goroutines, a Reader by one. The package knows JSON-RPC's IDs, and nothing else of
// the protocol.
package stdio
