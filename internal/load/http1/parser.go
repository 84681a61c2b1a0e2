package http1

import (
	"errors"
	"fmt"
	"io"
)

const (
	// maxHead bounds the heads of an answer, informational answers and the trailer included, in
	// bytes.
	maxHead = 1 << 20
	// maxInformational bounds the informational answers before an answer.
	maxInformational = 100
	// maxChunkLine bounds the line before a chunk, without its end, as net/http does.
	maxChunkLine = 4095
	// maxExcess bounds the framing of chunked bodies, as net/http does: 16 bytes a chunk and twice
	// the data are free, and the excess adds up.
	maxExcess = 16 << 10
)

// ErrClosed is the error for a connection that closes before the head of an answer is complete.
var ErrClosed = errors.New("connection closed before the answer")

// A SyntaxError reports an answer that is not HTTP/1.x, or not accepted by this package.
type SyntaxError struct {
	What string // what is wrong, in words
}

// Error returns "malformed answer: " and What.
func (e *SyntaxError) Error() string { return "malformed answer: " + e.What }

func malformed(format string, args ...any) error {
	return &SyntaxError{What: fmt.Sprintf(format, args...)}
}

// A state is what the next byte belongs to.
type state uint8

const (
	idle         state = iota // no answer expected
	complete                  // the answer has ended
	failed                    // Parser.err
	statusLine                // up to the status code
	reason                    // the rest of the status line
	lineStart                 // a line of the header, or the empty one after it
	headEnd                   // the line feed of the empty line
	fieldName                 // before the colon
	fieldValue                // after it
	valueEnd                  // the line feed after a carriage return
	chunkSize                 // the digits
	chunkSpace                // white space after them
	chunkExt                  // an extension after them
	chunkLineEnd              // the line feed of that line
	chunkData                 // left bytes of it
	chunkCR                   // the line end after them
	chunkLF                   //
	bodyLeft                  // left bytes of the body
	bodyToEOF                 // everything is body
)

// A field is a header field that matters for framing.
type field uint8

const (
	otherField field = iota
	contentLength
	transferEncoding
	connection
	trailer
)

// maxToken is the length of the longest name or list element that matters,
// transfer-encoding.
const maxToken = 17

// A Parser frames the answers on one connection, one after another: it finds where they end and
// does not store them. The zero value is ready for Begin. It is not safe for concurrent use.
type Parser struct {
	body  int64 // bytes so far
	left  int64 // of the body or chunk, bytes to come
	err   error // state failed
	num   int64 // the number being read: Content-Length, chunk size
	total int64 // Content-Length, if digits is not 0

	head       int32 // bytes of heads so far
	excess     int32 // see maxExcess
	numDigits  int32 // of num
	digits     int32 // of total; 0 means no Content-Length
	chunkLine  int16 // bytes of the line so far
	code       int16 // status being read
	status     int16
	state      state
	pos        uint8 // in the status line
	minor      uint8 // version 1.minor
	infos      uint8 // informational answers before this one
	field      field // field whose value is being read
	token      [maxToken]byte
	tokenLen   uint8 // above maxToken: too long to matter
	toHead     bool  // the request was a HEAD
	closing    bool
	hasClose   bool // Connection: close
	hasKeep    bool // Connection: keep-alive
	chunked    bool
	badTrailer bool // Trailer announces a field that must not be in one
	first      bool // no field of the section yet
	inTrailer  bool
	bareLF     bool // the line before ended without a carriage return
	gap        bool // white space after the token or number being read
}

// Begin prepares the parser for the next answer. head reports whether the request was HEAD, whose
// answer has no body, whatever its header.
func (p *Parser) Begin(head bool) {
	*p = Parser{state: statusLine, toHead: head}
}

// Status returns the status code; 0 until the head of the answer has been read.
func (p *Parser) Status() int { return int(p.status) }

// Body returns the number of body bytes of the answer so far, without chunk framing.
func (p *Parser) Body() int64 { return p.body }

// Started reports whether any byte of the answer has been seen.
func (p *Parser) Started() bool { return p.head > 0 }

// Closing reports whether the connection cannot be used after the answer: the server announced that
// it closes the connection, uses HTTP/1.0 without keep-alive, ends the body by closing the
// connection or switches the protocol, or the answer is malformed. It is valid when the answer is
// complete or has failed.
func (p *Parser) Closing() bool { return p.closing }

// Parse continues the answer that Begin announced. It consumes n bytes of b: all of them, unless
// the answer ends before (done) or is malformed (err, a [*SyntaxError], which Parse returns from
// then on). The rest of b does not belong to the answer. b may end anywhere and is not retained.
// Without an answer to read, done is true and n is 0.
func (p *Parser) Parse(b []byte) (n int, done bool, err error) { return p.parse(b, nil) }

// parse implements Parse. A head that b contains in full is cached in memory, unless memory is nil.
func (p *Parser) parse(b []byte, memory *Memory) (n int, done bool, err error) {
	for n < len(b) && p.state > failed {
		rest := b[n:]
		switch p.state {
		case bodyLeft:
			n += p.take(rest)
			if p.left == 0 {
				p.state = complete
			}
		case bodyToEOF:
			p.body += int64(len(rest))
			n = len(b)
		case chunkData:
			n += p.take(rest)
			if p.left == 0 {
				p.state = chunkCR
			}
		case chunkSize, chunkSpace, chunkExt, chunkLineEnd, chunkCR, chunkLF:
			if err := p.chunkByte(rest[0]); err != nil {
				return n, false, p.fail(err)
			}
			n++
		default:
			room := maxHead - int(p.head)
			if room == 0 {
				return n, false, p.fail(malformed("header is longer than %d bytes", maxHead))
			}
			m, err := p.headBytes(rest[:min(len(rest), room)])
			n += m
			p.head += int32(m)
			if err != nil {
				p.head++ // the byte in error has been consumed
				return n, false, p.fail(err)
			}
			if memory != nil && n == int(p.head) && p.headOver() {
				memory.hold(b[:n], p)
			}
		}
	}
	if p.state == failed {
		return n, false, p.err
	}
	return n, p.state <= complete, nil
}

// headOver reports whether the head of the answer has been read.
func (p *Parser) headOver() bool { return p.state == complete || p.state >= chunkSize }

// EOF must be called when the peer has closed the connection. It returns nil if that completes the
// answer or the answer was complete before, [io.ErrUnexpectedEOF] within a body, and [ErrClosed]
// before or within a head, or when no answer was expected.
func (p *Parser) EOF() error {
	switch {
	case p.state == bodyToEOF, p.state == complete:
		p.state = complete
		return nil
	case p.state == failed:
		return p.err
	case p.state >= chunkSize, p.inTrailer:
		return p.fail(io.ErrUnexpectedEOF)
	}
	return p.fail(ErrClosed)
}

func (p *Parser) fail(err error) error {
	p.state, p.err, p.closing = failed, err, true
	return err
}

// take counts bytes of the body.
func (p *Parser) take(b []byte) int {
	n := min(int64(len(b)), p.left)
	p.left -= n
	p.body += n
	return int(n)
}
