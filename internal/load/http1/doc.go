// Package http1 is HTTP/1.1 as bytes: it writes requests and frames their answers. It
// does no input or output.
//
// Data flow:
//
//  1. [AppendRequest] writes a request. A request without variables is written once and sent many
//     times.
//  2. [Parser.Begin] announces the answer to a request that has been sent.
//  3. Bytes that arrive go through [Parser.Parse], in pieces of any size, until it reports that the
//     answer is complete. The rest of the last piece does not belong to that answer: it begins the
//     next one if more requests are in flight, or is garbage.
//  4. When the peer closes the connection, [Parser.EOF] reports whether that ends the answer or
//     cuts it off.
//
// The parser processes bytes as they arrive and keeps none of them, except the name or list element
// that it is in the middle of, in a fixed buffer: a Parser takes about a hundred bytes, whatever
// the server sends, and allocates only errors. Lines that are in one piece and have the usual form
// take a fast path; all others go byte by byte through a state machine. Both paths give the same
// result.
//
// A [Memory], shared by the parsers of a loop, avoids parsing the same header again: it
// compares bytes, so the result is that of parsing it.
//
// A Parser belongs to one connection and is not safe for concurrent use.
//
// # Framing
//
// It is that of RFC 9112, as net/http interprets it: on an unusual answer, the load should fail
// where Go's own client fails. FuzzParser compares the two, with input divided at any position.
// Answers to HEAD and those of status 1xx, 204 and 304 have no body. Informational answers (1xx)
// are skipped, except 101, which ends HTTP on the connection. "Transfer-Encoding: chunked" takes
// precedence over a Content-Length; other codings are refused. Repeated Content-Lengths must be the
// same text. Lines of a header may end with a bare line feed, those around chunks may not. Header
// lines may be folded.
//
// The parser deliberately differs from net/http: it rejects more, and accepts long trailers.
//
//  1. Versions other than HTTP/1.x. A server that answers an HTTP/1.1 request with
//     "HTTP/2.0" or "HTTP/0.9" does not speak the protocol that is measured (RFC 9112,
//     section 2.3).
//  2. A status code with a sign. net/http reads "+20" as 20; the grammar is three digits.
//  3. More than 100 informational answers before one. The Transport of net/http bounds
//     their bytes only; 100 is far beyond what servers send.
//  4. Headers of more than 1 MiB, including those of informational answers and the trailer. The
//     Transport allows 10 MiB, and 4 KiB for a trailer, the size of its buffer; here the limit for
//     trailers is that for headers.
//  5. A trailer whose last line or empty line ends with a bare line feed. net/http searches its
//     buffer for two proper line ends before it reads the trailer, and accepts them even if they
//     belong to a later answer: the result depends on what else has arrived. Here it depends on the
//     trailer only.
//
// The package keeps no header fields, does not decode or decompress, does not pair answers with
// requests and has no time limits. Retrying, timing and counting are up to the event loop.
package http1
