package http2

import (
	"strconv"
	"strings"

	"github.com/whet-go/whet/internal/load/request"
)

// tableSize bounds the part of the peer's HPACK table that this package uses: the initial size for
// every peer (RFC 9113, section 6.5.2).
const tableSize = 4096

// An Encoder prepares the requests of a run for sending. It is immutable and safe for concurrent
// use.
type Encoder struct {
	common []request.Field // fields that are put into the peer's table, in this order
	size   uint32          // of the peer's table that they use
	// The common fields as sent: by the first request of a connection, which puts them into the
	// table; by later ones; and without using the table.
	first, again, plain []byte
}

// NewEncoder returns an encoder for requests like samples: the fields that all samples have in
// common, including host and path, are sent in full only once per connection. The samples affect
// the cost of requests, never their meaning. Suitable samples are each fixed request, and two or
// more expansions of each that varies. Without samples, nothing is assumed to be common.
func NewEncoder(samples ...*request.Request) *Encoder {
	e := new(Encoder)
	if len(samples) == 0 {
		return e
	}
	all := make([][]request.Field, len(samples))
	for i, r := range samples {
		pseudo := pseudoFields(r)
		all[i] = append(pseudo[:], r.Header...)
	}
	for _, f := range all[0] {
		size := uint32(len(f.Name) + len(f.Value) + 32) // RFC 7541, section 4.1
		if dropped(f) || staticField(f.Name, f.Value) != 0 || e.size+size > tableSize || !inAll(all, f) {
			continue
		}
		e.common = append(e.common, f)
		e.size += size
	}
	for i, f := range e.common {
		e.first = appendLiteral(e.first, 0x40, 6, f.Name, f.Value)
		e.again = appendInt(e.again, 0x80, 7, uint64(62+len(e.common)-1-i))
		e.plain = appendLiteral(e.plain, 0, 4, f.Name, f.Value)
	}
	return e
}

// inAll reports whether each list has f, and its name only once.
func inAll(lists [][]request.Field, f request.Field) bool {
	for _, fields := range lists {
		n, same := 0, false
		for _, g := range fields {
			if strings.EqualFold(f.Name, g.Name) {
				n++
				same = f == g
			}
		}
		if n != 1 || !same {
			return false
		}
	}
	return true
}

// A Request is a request that is ready to be sent. The zero value is for [Encoder.Encode].
type Request struct {
	// Fixed means that the body's bytes do not change while the request is in flight. Otherwise
	// what cannot be sent immediately is copied.
	Fixed bool

	encoder *Encoder // whose common fields go between the two parts of block; nil means none
	block   []byte   // the header block without the common fields
	split   int      // where in block the common fields go
	body    []byte
	head    bool
}

// Encode makes q the request r, reusing q's memory; it leaves q.Fixed unchanged. It does not copy
// the body. Fields that HTTP/2 does not have (Connection and the like, TE other than trailers) are
// left out. Content-Length is added if there is a body or the method is POST, PUT or PATCH. An
// empty method means GET, an empty path /. Names and values must be valid, which package request
// ensures.
func (e *Encoder) Encode(q *Request, r *request.Request) {
	q.encoder, q.body, q.head = e, r.Body, r.Method == "HEAD"
	if !q.encode(e.common, r) {
		q.encoder = nil
		q.encode(nil, r)
	}
}

// encode writes q.block without the fields of common. It reports whether r has these,
// in their order, each once.
func (q *Request) encode(common []request.Field, r *request.Request) bool {
	q.block = q.block[:0]
	next := 0
	put := func(f request.Field) bool {
		if next < len(common) && common[next] == f {
			next++
			return true
		}
		for i := range common {
			if len(common[i].Name) == len(f.Name) && strings.EqualFold(common[i].Name, f.Name) {
				return false
			}
		}
		if i := staticField(f.Name, f.Value); i != 0 {
			q.block = append(q.block, 0x80|i)
			return true
		}
		q.block = appendLiteral(q.block, 0, 4, f.Name, f.Value)
		return true
	}
	for _, f := range pseudoFields(r) {
		if !put(f) {
			return false
		}
	}
	q.split = len(q.block)
	for _, f := range r.Header {
		if !dropped(f) && !put(f) {
			return false
		}
	}
	if len(r.Body) > 0 || r.Method == "POST" || r.Method == "PUT" || r.Method == "PATCH" {
		var digits [20]byte
		n := strconv.AppendInt(digits[:0], int64(len(r.Body)), 10)
		q.block = appendInt(q.block, 0, 4, 28) // content-length
		q.block = appendInt(q.block, 0, 7, uint64(len(n)))
		q.block = append(q.block, n...)
	}
	return next == len(common)
}

// pseudoFields returns the pseudo-header fields of a request (RFC 9113, section 8.3.1).
func pseudoFields(r *request.Request) [4]request.Field {
	method, path := r.Method, r.Path
	if method == "" {
		method = "GET"
	}
	if path == "" {
		path = "/"
	}
	return [4]request.Field{
		{Name: ":method", Value: method},
		{Name: ":scheme", Value: r.Scheme},
		{Name: ":authority", Value: r.Host},
		{Name: ":path", Value: path},
	}
}

// dropped reports whether a field is not sent: connection-specific ones (RFC 9113, section 8.2.2),
// and those that the request expresses in other ways.
func dropped(f request.Field) bool {
	switch len(f.Name) {
	case 2:
		return strings.EqualFold(f.Name, "te") && !strings.EqualFold(f.Value, "trailers")
	case 4:
		return strings.EqualFold(f.Name, "host")
	case 7:
		return strings.EqualFold(f.Name, "upgrade")
	case 10:
		return strings.EqualFold(f.Name, "connection") || strings.EqualFold(f.Name, "keep-alive")
	case 14:
		return strings.EqualFold(f.Name, "content-length")
	case 16:
		return strings.EqualFold(f.Name, "proxy-connection")
	case 17:
		return strings.EqualFold(f.Name, "transfer-encoding")
	}
	return false
}

// appendLiteral appends a literal field representation (RFC 7541, section 6.2) whose first byte is
// kind with the index of the name in its lowest bits. The name is sent in lower case, the value
// unchanged, both without Huffman coding, which would save bytes and cost time on both sides.
func appendLiteral(dst []byte, kind byte, bits int, name, value string) []byte {
	var buf [32]byte
	lower := buf[:0]
	for i := range len(name) {
		b := name[i]
		if 'A' <= b && b <= 'Z' {
			b |= 0x20
		}
		lower = append(lower, b)
	}
	i := staticName(lower)
	dst = appendInt(dst, kind, bits, i)
	if i == 0 {
		dst = appendInt(dst, 0, 7, uint64(len(lower)))
		dst = append(dst, lower...)
	}
	dst = appendInt(dst, 0, 7, uint64(len(value)))
	return append(dst, value...)
}

// appendInt appends an integer with a prefix of the given number of bits (RFC 7541, section 5.1);
// first has the bits above them.
func appendInt(dst []byte, first byte, bits int, v uint64) []byte {
	limit := uint64(1)<<bits - 1
	if v < limit {
		return append(dst, first|byte(v))
	}
	dst = append(dst, first|byte(limit))
	for v -= limit; v >= 0x80; v >>= 7 {
		dst = append(dst, byte(v)|0x80)
	}
	return append(dst, byte(v))
}

// staticField returns the index of a field in the static table (RFC 7541, appendix A),
// or 0.
func staticField(name, value string) byte {
	switch name {
	case ":method":
		switch value {
		case "GET":
			return 2
		case "POST":
			return 3
		}
	case ":path":
		switch value {
		case "/":
			return 4
		case "/index.html":
			return 5
		}
	case ":scheme":
		switch value {
		case "http":
			return 6
		case "https":
			return 7
		}
	}
	return 0
}

// staticName returns the index of the first field of that name in the static table (RFC 7541,
// appendix A), or 0 if it is not there or not a name used in requests.
func staticName(lower []byte) uint64 {
	switch string(lower) {
	case ":authority":
		return 1
	case ":method":
		return 2
	case ":path":
		return 4
	case ":scheme":
		return 6
	case "accept-charset":
		return 15
	case "accept-encoding":
		return 16
	case "accept-language":
		return 17
	case "accept":
		return 19
	case "authorization":
		return 23
	case "cache-control":
		return 24
	case "content-disposition":
		return 25
	case "content-encoding":
		return 26
	case "content-language":
		return 27
	case "content-location":
		return 29
	case "content-range":
		return 30
	case "content-type":
		return 31
	case "cookie":
		return 32
	case "date":
		return 33
	case "expect":
		return 35
	case "from":
		return 37
	case "if-match":
		return 39
	case "if-modified-since":
		return 40
	case "if-none-match":
		return 41
	case "if-range":
		return 42
	case "if-unmodified-since":
		return 43
	case "max-forwards":
		return 47
	case "proxy-authorization":
		return 49
	case "range":
		return 50
	case "referer":
		return 51
	case "user-agent":
		return 58
	case "via":
		return 60
	}
	return 0
}
