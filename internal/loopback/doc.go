// Package loopback serves HTTP to the user of this machine alone.
//
// Data flow:
//
//  1. [Listen] opens a port of the loopback interface, and refuses any other: there are no tokens yet.
//  2. Handlers pass requests that [Check] and, where more than reading a page is at stake, [SameOrigin] accept.
//  3. [Serve] runs until its context ends, and then lets requests finish for a moment.
//
// The package knows no pages: package internal/server and the web interface of internal/pprof do.
package loopback
