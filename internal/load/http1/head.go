package http1

import (
	"bytes"
	"math"
	"net/http"
)

// headBytes reads heads and trailers. It returns when one is complete or b is used up.
func (p *Parser) headBytes(b []byte) (n int, err error) {
	for n < len(b) {
		switch p.state {
		case statusLine:
			if m := p.wholeStatusLine(b[n:]); m > 0 {
				n += m
				continue
			}
			if err := p.statusByte(b[n]); err != nil {
				return n, err
			}
			n++
		case reason:
			i := bytes.IndexByte(b[n:], '\n')
			if i < 0 {
				return len(b), nil
			}
			n += i + 1
			p.beginSection()
		case lineStart:
			if p.field == otherField {
				if m := p.wholeField(b[n:]); m > 0 {
					n += m
					continue
				}
			}
			if err := p.lineByte(b[n]); err != nil {
				return n, err
			}
			if p.state != fieldValue { // a folded line begins with what fieldValue reads
				n++
			}
		case headEnd:
			if b[n] != '\n' {
				return n, malformed("carriage return within the header")
			}
			n++
			if err := p.endSection(); err != nil {
				return n - 1, err
			}
		case fieldName:
			if err := p.nameByte(b[n]); err != nil {
				return n, err
			}
			n++
		case fieldValue:
			m, err := p.valueBytes(b[n:])
			n += m
			if err != nil {
				return n, err
			}
		case valueEnd:
			if b[n] != '\n' {
				return n, malformed("carriage return within a header value")
			}
			n++
			p.endLine(false)
		default: // the head is complete
			return n, nil
		}
	}
	return n, nil
}

const (
	version    = "HTTP/1."
	codeAt     = 9  // earliest index of the status code
	statusSize = 12 // shortest status line, without its end
)

// wholeStatusLine reads a status line of the usual form that lies in b with its end, and returns
// its length; 0 if there is none.
func (p *Parser) wholeStatusLine(b []byte) int {
	if p.pos != 0 || len(b) <= statusSize || string(b[:len(version)]) != version {
		return 0
	}
	minor, h, t, o := b[7]-'0', b[9]-'0', b[10]-'0', b[11]-'0'
	if minor > 9 || h > 9 || t > 9 || o > 9 || b[8] != ' ' || b[12] != ' ' {
		return 0
	}
	end := bytes.IndexByte(b[statusSize:], '\n')
	if end < 0 {
		return 0
	}
	p.minor = minor
	p.code = int16(h)*100 + int16(t)*10 + int16(o)
	p.beginSection()
	return statusSize + end + 1
}

// statusByte reads one byte of the status line up to the space after the code.
func (p *Parser) statusByte(c byte) error {
	switch at := int(p.pos); {
	case at < len(version):
		if c != version[at] {
			return malformed("begins with %q (want %q)", version[:at]+string([]byte{c}), version)
		}
	case at == len(version):
		if p.minor = c - '0'; p.minor > 9 {
			return malformed("begins with %q (want an HTTP version)", version+string([]byte{c}))
		}
	case at == len(version)+1:
		if c != ' ' {
			return malformed("no space after the HTTP version")
		}
	case at == codeAt && c == ' ':
		return nil // extra spaces are accepted
	case at < statusSize:
		if c -= '0'; c > 9 {
			return malformed("status code is not three digits")
		}
		p.code = p.code*10 + int16(c)
	case at == statusSize:
		switch c {
		case ' ':
			p.state = reason
		case '\n':
			p.beginSection()
		case '\r':
		default:
			return malformed("status code is not three digits")
		}
	default: // after a carriage return
		if c != '\n' {
			return malformed("carriage return after the status code")
		}
		p.beginSection()
	}
	p.pos++
	return nil
}

// beginSection begins a header or trailer section.
func (p *Parser) beginSection() {
	p.state, p.first, p.bareLF, p.field = lineStart, true, false, otherField
}

// wholeField reads a header line that lies in b with its end and the byte after it, if it has the
// usual form: a name, a colon, a value without tabs, one line. It returns the length, or 0 if the
// slower functions must read it.
func (p *Parser) wholeField(b []byte) int {
	colon := 0
	for colon < len(b) && isToken[b[colon]] {
		colon++
	}
	if colon == 0 || colon >= len(b) || b[colon] != ':' {
		return 0
	}
	end := colon + 1 + control(b[colon+1:])
	if end+2 >= len(b) || b[end] != '\r' || b[end+1] != '\n' || b[end+2] == ' ' || b[end+2] == '\t' {
		return 0
	}
	// In a trailer these have no effect.
	switch name := b[:colon]; colon {
	case len("content-length"):
		if equalFold(name, "content-length") && !p.wholeLength(b[colon+1:end]) {
			return 0
		}
	case len("transfer-encoding"):
		if equalFold(name, "transfer-encoding") && !p.wholeEncoding(b[colon+1:end]) {
			return 0
		}
	case len("connection"):
		if equalFold(name, "connection") && !p.wholeConnection(b[colon+1:end]) {
			return 0
		}
	case len("trailer"):
		if equalFold(name, "trailer") {
			return 0
		}
	}
	p.first, p.bareLF = false, false
	return end + 2
}

// wholeEncoding reads the value of the first Transfer-Encoding, and reports whether it has the
// usual form.
func (p *Parser) wholeEncoding(value []byte) bool {
	if p.chunked || p.minor == 0 || !equalFold(withoutSpace(value), "chunked") {
		return false
	}
	p.chunked = true
	return true
}

// wholeConnection reads the value of a Connection field, and reports whether it has the usual form.
func (p *Parser) wholeConnection(value []byte) bool {
	value = withoutSpace(value)
	switch {
	case equalFold(value, "keep-alive"):
		p.hasKeep = true
	case equalFold(value, "close"):
		p.hasClose = true
	default:
		return false
	}
	return true
}

// wholeLength reads the value of the first Content-Length, and reports whether it has the usual
// form.
func (p *Parser) wholeLength(value []byte) bool {
	value = withoutSpace(value)
	if len(value) == 0 || len(value) > 18 || p.digits != 0 {
		return false
	}
	var n int64
	for _, c := range value {
		if c -= '0'; c > 9 {
			return false
		}
		n = n*10 + int64(c)
	}
	p.total, p.digits = n, int32(len(value))
	return true
}

// lineByte reads the first byte of a header line. It leaves the white space that begins a folded
// line to fieldValue.
func (p *Parser) lineByte(c byte) error {
	if c == ' ' || c == '\t' {
		if p.first {
			return malformed("header begins with white space")
		}
		p.fold()
		p.state = fieldValue
		return nil
	}
	if err := p.endField(); err != nil {
		return err
	}
	switch c {
	case '\r':
		p.state = headEnd
		return nil
	case '\n':
		if p.inTrailer {
			return malformed("trailer ends with a bare line feed")
		}
		return p.endSection()
	}
	p.first, p.tokenLen = false, 0
	p.state = fieldName
	if c == ':' {
		return malformed("header field without a name")
	}
	return p.nameByte(c)
}

// nameByte reads a byte of a field's name, or the colon after it.
func (p *Parser) nameByte(c byte) error {
	switch {
	case c == ':':
		p.state = fieldValue
		p.field = p.named()
		p.tokenLen, p.gap, p.num, p.numDigits = 0, false, 0, 0
	case c == '\n', c == '\r':
		return malformed("header line without a colon")
	case isToken[c], c == ' ': // net/http treats spaces as part of the name
		p.addToken(c)
	default:
		return malformed("byte %#02x in the name of a header field", c)
	}
	return nil
}

// named returns the field that the token names. Fields of a trailer have no effect.
func (p *Parser) named() field {
	if p.inTrailer {
		return otherField
	}
	switch string(p.tokenBytes()) {
	case "content-length":
		return contentLength
	case "transfer-encoding":
		return transferEncoding
	case "connection":
		return connection
	case "trailer":
		return trailer
	}
	return otherField
}

// valueBytes continues in a value, at most to the end of its line.
func (p *Parser) valueBytes(b []byte) (n int, err error) {
	n = control(b)
	if p.field != otherField {
		for i, c := range b[:n] {
			if err := p.valueByte(c); err != nil {
				return i, err
			}
		}
	}
	if n == len(b) {
		return n, nil
	}
	switch c := b[n]; c {
	case '\t':
		return n + 1, p.valueByte(' ')
	case '\r':
		p.state = valueEnd
	case '\n':
		p.endLine(true)
	default:
		return n, malformed("byte %#02x in the value of a header field", c)
	}
	return n + 1, nil
}

// valueByte reads a byte of a value that affects framing.
func (p *Parser) valueByte(c byte) error {
	switch p.field {
	case otherField:
	case contentLength:
		switch {
		case c == ' ':
			p.gap = p.numDigits > 0
		case c < '0' || c > '9' || p.gap:
			return malformed("Content-Length is not a number")
		case p.num > (math.MaxInt64-int64(c-'0'))/10:
			return malformed("Content-Length is too large")
		default:
			p.num = p.num*10 + int64(c-'0')
			p.numDigits++
		}
	default:
		switch {
		case c == ' ':
			p.gap = p.tokenLen > 0
		case c == ',' && p.field != transferEncoding:
			p.endToken()
		default:
			if p.gap { // a token contains no white space
				p.addToken(' ')
				p.gap = false
			}
			p.addToken(c)
		}
	}
	return nil
}

// endLine ends a line of a field's value.
func (p *Parser) endLine(bareLF bool) {
	p.state, p.bareLF = lineStart, bareLF
}

// fold continues a value on another line. net/http replaces the line end with one space, which it
// does not trim from the end of a Transfer-Encoding.
func (p *Parser) fold() {
	if p.field == transferEncoding && p.tokenLen > 0 {
		p.addToken(' ')
	}
}

// endField ends a field: the next line does not continue it.
func (p *Parser) endField() error {
	f := p.field
	p.field = otherField
	switch f {
	case otherField:
	case contentLength:
		switch {
		case p.numDigits == 0:
			return malformed("Content-Length is empty")
		case p.digits != 0 && (p.digits != p.numDigits || p.total != p.num):
			return malformed("two different Content-Lengths")
		}
		p.total, p.digits = p.num, p.numDigits
	case transferEncoding:
		switch {
		case p.minor == 0: // HTTP/1.0 has none (RFC 9112, section 6.1)
		case p.chunked:
			return malformed("two Transfer-Encodings")
		case string(p.tokenBytes()) != "chunked":
			return malformed("Transfer-Encoding is not chunked")
		default:
			p.chunked = true
		}
	case connection, trailer:
		p.field = f
		p.endToken()
		p.field = otherField
	}
	return nil
}

// endToken ends a list element.
func (p *Parser) endToken() {
	switch token := p.tokenBytes(); p.field {
	case otherField, contentLength, transferEncoding: // no lists
	case connection:
		p.hasClose = p.hasClose || string(token) == "close"
		p.hasKeep = p.hasKeep || string(token) == "keep-alive"
	case trailer:
		switch string(token) {
		case "content-length", "transfer-encoding", "trailer":
			p.badTrailer = true
		}
	}
	p.tokenLen, p.gap = 0, false
}

// endSection ends a header or trailer section after its empty line.
func (p *Parser) endSection() error {
	if p.inTrailer {
		if p.bareLF {
			return malformed("trailer ends with a bare line feed")
		}
		p.state = complete
		return nil
	}
	if p.chunked && p.badTrailer {
		return malformed("Trailer announces a field that frames the answer")
	}
	if p.code >= 100 && p.code < 200 && p.code != http.StatusSwitchingProtocols {
		if p.infos++; p.infos > maxInformational {
			return malformed("more than %d informational answers", maxInformational)
		}
		*p = Parser{state: statusLine, toHead: p.toHead, infos: p.infos, head: p.head}
		return nil
	}
	p.status = p.code
	p.closing = p.hasClose || p.minor == 0 && !p.hasKeep || p.code < 200
	switch {
	case p.toHead, p.code == http.StatusSwitchingProtocols, p.code == http.StatusNoContent,
		p.code == http.StatusNotModified:
		p.state = complete
	case p.chunked:
		p.beginChunk()
	case p.digits == 0:
		p.state, p.closing = bodyToEOF, true
	case p.total == 0:
		p.state = complete
	default:
		p.state, p.left = bodyLeft, p.total
	}
	return nil
}
