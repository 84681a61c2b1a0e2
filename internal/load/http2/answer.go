package http2

import (
	"bytes"
	"strconv"
	"strings"

	"golang.org/x/net/http2/hpack"
)

// maxHeaderList bounds a header list, counted as in RFC 9113, section 6.5.2. A longer one fails its
// stream. Its block must still be decoded to its end.
const maxHeaderList = 1 << 20

// A head is the part of a header list that is stored.
type head struct {
	status  int   // 0 means none
	length  int64 // content-length; -1 means none
	regular bool  // a field other than a pseudo-header field has been seen
	wrong   string
	size    int
}

// answers decode the header blocks of answers.
type answers struct {
	decoder *hpack.Decoder
	head    head // of the block being decoded
	// The last block that left the table unchanged, and its meaning as long as the table is
	// unchanged.
	last     []byte
	lastHead head
}

// maxKept is the maximum length of the block that is cached.
const maxKept = 512

// decode returns the meaning of a complete header block. An error is one of HPACK, after which the
// connection cannot continue.
func (a *answers) decode(block []byte) (head, error) {
	if len(a.last) > 0 && bytes.Equal(block, a.last) {
		return a.lastHead, nil
	}
	a.head = head{length: -1}
	a.decoder.SetEmitEnabled(true)
	_, err := a.decoder.Write(block)
	if err == nil {
		err = a.decoder.Close()
	}
	if err != nil {
		return head{}, connError(compressionError, "%v", err)
	}
	switch {
	case changesTable(block):
		a.last = a.last[:0]
	case len(block) <= maxKept:
		a.last, a.lastHead = append(a.last[:0], block...), a.head
	}
	return a.head, nil
}

// changesTable reports whether a valid block adds to the table or resizes it (RFC 7541,
// section 6).
func changesTable(block []byte) bool {
	for len(block) > 0 {
		switch b := block[0]; {
		case b >= 0x80: // indexed
			_, block = readInt(block, 7)
		case b >= 0x20: // literal with indexing, or size update
			return true
		default: // literal
			var name uint64
			name, block = readInt(block, 4)
			if name == 0 {
				block = skipString(block)
			}
			block = skipString(block)
		}
	}
	return false
}

// readInt reads an integer of a valid block (RFC 7541, section 5.1).
func readInt(b []byte, bits int) (uint64, []byte) {
	limit := uint64(1)<<bits - 1
	v := uint64(b[0]) & limit
	b = b[1:]
	if v < limit {
		return v, b
	}
	for shift := 0; ; shift += 7 {
		v += uint64(b[0]&0x7f) << shift
		last := b[0] < 0x80
		b = b[1:]
		if last {
			return v, b
		}
	}
}

func skipString(b []byte) []byte {
	n, b := readInt(b, 7)
	return b[n:]
}

// field processes one field of the header list.
func (a *answers) field(f hpack.HeaderField) {
	h := &a.head
	if h.size += len(f.Name) + len(f.Value) + 32; h.size > maxHeaderList {
		h.wrong = "header list of more than 1 MiB"
		a.decoder.SetEmitEnabled(false) // it still maintains the table
	}
	if h.wrong == "" {
		h.add(f.Name, f.Value)
	}
}

func (h *head) add(name, value string) {
	if strings.HasPrefix(name, ":") {
		h.addPseudo(name, value)
		return
	}
	h.regular = true
	switch {
	case !validName(name):
		h.wrong = "field name " + strconv.QuoteToASCII(shorten(name))
	case !validValue(value):
		h.wrong = "value of field " + name
	case name == "content-length":
		n, err := strconv.ParseUint(value, 10, 63)
		if err != nil || h.length >= 0 && h.length != int64(n) {
			h.wrong = "content-length " + strconv.QuoteToASCII(shorten(value))
			return
		}
		h.length = int64(n)
	case connectionSpecific(name):
		h.wrong = "connection-specific field " + name
	}
}

func (h *head) addPseudo(name, value string) {
	switch {
	case name != ":status":
		h.wrong = "pseudo-header field " + strconv.QuoteToASCII(shorten(name))
	case h.regular:
		h.wrong = ":status after other fields"
	case h.status != 0:
		h.wrong = "two :status fields"
	case len(value) != 3 || value[0] < '1' || value[0] > '9' || value[1] < '0' || value[1] > '9' ||
		value[2] < '0' || value[2] > '9':
		h.wrong = ":status " + strconv.QuoteToASCII(shorten(value))
	default:
		h.status = int(value[0]-'0')*100 + int(value[1]-'0')*10 + int(value[2]-'0')
	}
}

// shorten cuts a string from a peer to a length suitable for a message.
func shorten(s string) string { return s[:min(len(s), 40)] }

// validName reports whether a field name is a token (RFC 9110, section 5.6.2) without
// upper-case letters (RFC 9113, section 8.2.1).
func validName(name string) bool {
	for i := range len(name) {
		b := name[i]
		switch {
		case 'a' <= b && b <= 'z', b == '-', '0' <= b && b <= '9', b == '_':
		case strings.IndexByte("!#$%&'*+.^`|~", b) >= 0:
		default:
			return false
		}
	}
	return name != ""
}

// validValue reports whether a field value has no control characters except tabs.
func validValue(value string) bool {
	for i := range len(value) {
		if b := value[i]; b < ' ' && b != '\t' || b == 0x7f {
			return false
		}
	}
	return true
}

// connectionSpecific reports whether a field of HTTP/1.1 must not be in HTTP/2 (RFC 9113,
// section 8.2.2).
func connectionSpecific(name string) bool {
	switch name {
	case "connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade":
		return true
	}
	return false
}
