// Package loopback serves HTTP to this machine alone.
//
// Data flow:
//
//  1. [Listen] opens a port of the loopback interface and refuses any other address: there are no
//     tokens yet.
//  2. Handlers pass requests that [Check] accepts and, where requests do more than read a page,
//     [SameOrigin].
//  3. [Serve] runs until its context ends, then gives open requests a moment to finish.
//
// The package has no pages; package internal/server and the web interface of internal/pprof do.
package loopback
