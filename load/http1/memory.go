package http1

import "bytes"

// A Memory holds the last head that was read in one piece, and what it meant. A server
// says the same over and over, but for the date once a second; where the bytes are the
// same, so is what a [Parser] makes of them, and it need not read them again. Its zero
// value is ready for use. Parsers of one thread may share one.
type Memory struct {
	head   []byte // empty: nothing is held
	after  Parser // as it was behind head
	misses int    // since head was met last
}

const (
	// maxRemembered bounds the heads that are held.
	maxRemembered = 4 << 10
	// heldMisses is how many other heads go by before one of them is held instead: where
	// each is different, holding them costs more than it brings.
	heldMisses = 16
)

// Parse is [Parser.Parse] for p, with the same results.
func (m *Memory) Parse(p *Parser, b []byte) (n int, done bool, err error) {
	if p.state != statusLine || p.head != 0 {
		return p.Parse(b)
	}
	if k := len(m.head); k > 0 && p.toHead == m.after.toHead && bytes.HasPrefix(b, m.head) {
		*p = m.after
		m.misses = 0
		n, done, err = p.Parse(b[k:])
		return n + k, done, err
	}
	m.misses++
	if m.misses%heldMisses != 1 {
		return p.Parse(b)
	}
	return p.parse(b, m)
}

// hold takes the place of what was held: p has read head and stands behind it.
func (m *Memory) hold(head []byte, p *Parser) {
	if len(head) <= maxRemembered {
		m.head, m.after = append(m.head[:0], head...), *p
	}
}
