package http1

import "bytes"

// A Memory caches the last head that was read in one piece, and its meaning. A server repeats its
// head except for the date once a second; for equal bytes a [Parser] reaches the same state without
// reading them again. The zero value is ready for use. Parsers on one thread may share a Memory.
type Memory struct {
	head   []byte // empty means nothing is cached
	after  Parser // state after head
	misses int    // heads read since head was last seen
}

const (
	// maxRemembered bounds the length of cached heads.
	maxRemembered = 4 << 10
	// heldMisses is how many other heads are read before one of them replaces the cached one: when
	// every head differs, caching costs more than it saves.
	heldMisses = 16
)

// Parse calls [Parser.Parse] of p, or has the same effect.
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

// hold caches head, which p has just read.
func (m *Memory) hold(head []byte, p *Parser) {
	if len(head) <= maxRemembered {
		m.head, m.after = append(m.head[:0], head...), *p
	}
}
