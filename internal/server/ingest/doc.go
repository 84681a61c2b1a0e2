// Package ingest receives profiles from clients over HTTP and gRPC, and writes them to a store.
//
// Data flow:
//
//  1. [Handler.ServeHTTP] asks Options.Allow which tenant a request writes to, before its body is
//     read, and reserves memory for the body. Requests that would exceed the memory wait, and are
//     refused with 429 after a while.
//  2. One function for each protocol decodes the request into [store.Profile] values: a plain pprof
//     file or recording (plain.go), Pyroscope's /ingest (legacy.go), the services of Pyroscope,
//     Parca and OpenTelemetry, which connect serves as Connect, gRPC and gRPC-Web (services.go), and
//     OpenTelemetry over HTTP (otlp.go). Packages below decode what is particular to a format.
//  3. A profile without a kind gets the one that its sample types show ([Kind]).
//  4. The store checks the limits and writes the batch. The client gets an answer when the store has
//     acknowledged it: a request is stored as a whole or not at all.
//  5. Leases of processes that share targets go the same way (leases.go), to Options.Leases.
//
// # Errors
//
// What the client can correct is 400, 401, 403, 413, 415 or 429 with Retry-After; what the store
// could not do is 503, and the client may send the same again, since a profile is stored once. Bodies
// are problem documents (RFC 9457), or what the protocol has for errors.
//
// # Bounds
//
// A body, compressed or not, has at most Limits.Body bytes; decoding a profile takes at most
// maxDecode bytes of memory, and reading it at most maxInflated bytes of uncompressed data.
//
// A Handler is safe for concurrent use. Tokens are neither logged nor part of errors. The package
// does not query: see package pyroscope for that.
package ingest
