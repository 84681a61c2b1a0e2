// Package request holds the requests of a load, whatever version of HTTP carries
// them, and templates that make many of one.
//
// Data flow:
//
//  1. [New] takes a method, an address, a header and a body as people write them
//     and checks all of it once: what it returns cannot fail later. Names in double
//     braces are variables; their values come in rows.
//  2. Address, header values and body are cut into pieces, each a text or a
//     variable. Texts are escaped for their place at once.
//  3. [Template.Expand] puts the pieces and the values of one row together into a
//     [Request]. A template that is [Template.Fixed] is expanded once and written
//     once; the engines keep the bytes.
//  4. Packages http1 and http2 write requests.
//
// A Template is immutable and may be expanded by several goroutines at once, each
// into a Request of its own. It keeps the body and the rows that it was given; they
// must not be changed afterwards. What Expand puts into a Request belongs partly to
// the template and is for reading only.
//
// Nothing here prints a password: [Template.URL] and all errors leave it out.
//
// What it does not do: it resolves no names, opens no connections, follows no
// redirects, keeps no cookies and compresses no bodies.
package request
