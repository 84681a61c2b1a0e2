// Package request builds the requests of a load, for any version of HTTP, and templates that expand
// to many of them.
//
// Data flow:
//
//  1. [New] takes a method, an address, a header and a body in plain form and checks them once:
//     what it returns cannot fail later. Names in double braces are variables; their values come in
//     rows.
//  2. Address, header values and body are split into pieces, each a text or a variable. Texts are
//     escaped at once.
//  3. [Template.Expand] combines the pieces and the values of one row into a [Request]. A
//     [Template.Fixed] template is expanded and written once; the engines keep the bytes.
//  4. Packages http1 and http2 write requests.
//
// A Template is immutable and may be expanded by several goroutines concurrently, each into its own
// Request. It keeps the body and the rows that it was given; they must not be changed afterwards.
// What Expand puts into a Request belongs partly to the template and is read-only.
//
// Nothing here prints a password: [Template.URL] and all errors leave it out.
//
// The package resolves no names, opens no connections, follows no redirects, keeps no cookies and
// compresses no bodies.
package request
