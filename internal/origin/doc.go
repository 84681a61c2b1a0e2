// Package origin keeps what whet's HTTP clients send with the origin that it is meant for: the
// scheme, host and port that the user named.
//
// Data flow:
//
//  1. A client that follows redirects gets its CheckRedirect from a [Policy].
//  2. A transport that adds headers to other clients' requests calls [First] for the request that
//     the user caused.
//
// net/http forwards an unknown header to any host, and Authorization to any port of the same host. A
// client of whet that carries credentials stops at the first redirect that leaves the origin.
//
// The package has no state and sends nothing.
package origin
