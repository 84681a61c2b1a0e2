// Package remote reads and fills the store behind an address of whet serve.
//
// Data flow:
//
//  1. A [Client]'s methods are those of store.Reader and store.Writer. Each is one request with the
//     client's header, which may have a token.
//  2. Answers are the documents of whet query --json, and profiles in pprof's format.
//  3. An answer that is an error becomes one, with the server's hint.
//
// A Client is safe for concurrent use. The tenant is that of the token; the one in a query is not
// sent.
package remote
