// Package http2 is the client's side of one HTTP/2 connection (RFC 9113) as bytes: no sockets, no
// goroutines, no clock. It is made for generating load: little CPU time and no allocation per
// request, bounded memory, and every answer framed as the standard requires.
//
// Data flow:
//
//  1. [NewEncoder] examines samples of the requests of a run and picks the header fields that all
//     have in common. [Encoder.Encode] turns a request into a [Request], once if the request never
//     changes.
//  2. [New] makes a [Conn]; the bytes of [Conn.Preface] go first.
//  3. While [Conn.Capacity] is above 0, [Conn.Send] opens a stream and appends the bytes to send.
//     What does not fit into the peer's flow-control windows waits.
//  4. What arrives, cut anywhere, goes into [Conn.Parse]. It calls a [Done] for each answer that is
//     complete or has failed, and appends what has to be sent now: acknowledgments, window
//     updates, bodies that had to wait.
//  5. [Conn.Cancel] abandons one request (a timeout); [Conn.Close] fails all that are open when the
//     connection has ended or Parse has returned an error.
//
// All functions that append to dst return it, as append does. What they append must be sent in the
// order of the calls. The whole API:
//
//	func NewEncoder(samples ...*request.Request) *Encoder
//	func (e *Encoder) Encode(q *Request, r *request.Request)
//	type Request struct{ Fixed bool }
//
//	type Options struct{ ConnWindow, StreamWindow int32; MaxBlock int }
//	type Done func(tag, status int, body int64, err error)
//	func New(o Options) *Conn
//	func (c *Conn) Preface(dst []byte) []byte
//	func (c *Conn) Capacity() int
//	func (c *Conn) Ready() bool
//	func (c *Conn) Open() int
//	func (c *Conn) Draining() bool
//	func (c *Conn) Send(dst []byte, tag int, r *Request) ([]byte, error)
//	func (c *Conn) Drained()
//	func (c *Conn) Cancel(dst []byte, tag int) (out []byte, ok bool)
//	func (c *Conn) Parse(dst, b []byte, done Done) ([]byte, error)
//	func (c *Conn) Close(cause error, done Done)
//
// # Errors
//
// A stream fails with a [ResetError] (the peer reset it), [ErrRefused] (the peer has not processed
// it; errors.Is finds it in a ResetError of REFUSED_STREAM too: such a request can be sent again),
// a [MalformedError] (the answer breaks the rules) or, at the end of the connection, with the error
// given to [Conn.Close]. A connection fails with a [ConnError].
//
// # Performance
//
// A connection's first request puts the common fields into the peer's HPACK table; in all later
// ones they are one byte each, which costs least on both sides. They are never evicted, so a
// prepared request is valid for every connection at any time. Other fields are literals without
// Huffman coding. Only the status and the length of an answer's header block are kept. A block that
// equals the last one, and leaves the table as it is, is not decoded again. Payload of DATA frames
// is counted, never copied. Streams are kept in one small table.
//
// # Memory
//
// A connection holds at most one partial frame (16 KiB), one header block (2 MiB or
// [Options].MaxBlock, only while it arrives in pieces), an HPACK table of 4096 bytes, 128 to 256
// bytes for each request at the highest number in flight so far, and the parts of request
// bodies that wait for the peer. Idle it takes about 1 KiB. What Send and Parse append of bodies is
// bounded by the peer's windows.
//
// # Floods
//
// A peer that keeps sending frames that make no progress (the published ping, settings, reset,
// empty-frame and CONTINUATION floods) gets a GOAWAY of ENHANCE_YOUR_CALM, and the [ConnError] has
// Flood set. It takes 10 000 such frames, and each answer compensates 16; or 1000 answers to PING
// and SETTINGS that are not sent, which [Conn.Drained] clears.
//
// # Strictness
//
// The package follows golang.org/x/net/http2, with these differences, which RFC 9113 requires:
// connection-specific fields (section 8.2.2), content-lengths that are not a number, differ from
// each other or from the body (8.1.1), content in answers that have none (HEAD, 204, 304), status
// 101 (8.6) and status codes that are not three digits make an answer malformed;
// SETTINGS_ENABLE_PUSH of 1 from a server (6.5.2) and padding longer than a HEADERS frame (6.2) are
// connection errors. Up to 100 interim (1xx) answers are skipped, as for HTTP/1.1.
//
// Frames of streams that have ended are ignored, except for their effect on the state of the
// connection, since a reset may cross with frames that the peer sent before receiving it.
//
// # Ownership
//
// A Conn is for one goroutine at a time. Sending does not change an Encoder or an encoded Request,
// so all connections may share them. A Done must not call methods of its Conn.
//
// The package does not support server push (announced as off), priorities, upgrades from HTTP/1.1,
// timeouts or content decoding, and does not deliver header fields or bodies.
package http2
