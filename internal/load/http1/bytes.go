package http1

import (
	"encoding/binary"
	"math/bits"
)

// addToken adds a byte to the token being read, in lower case.
func (p *Parser) addToken(c byte) {
	if int(p.tokenLen) >= maxToken {
		p.tokenLen = maxToken + 1
		return
	}
	p.token[p.tokenLen] = lower(c)
	p.tokenLen++
}

// tokenBytes returns the token; nil if it is too long to matter.
func (p *Parser) tokenBytes() []byte {
	if int(p.tokenLen) > maxToken {
		return nil
	}
	return p.token[:p.tokenLen]
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c |= 'a' - 'A'
	}
	return c
}

// equalFold reports whether b equals s, ignoring case; s is in lower case.
func equalFold(b []byte, s string) bool {
	if len(b) != len(s) {
		return false
	}
	for i, c := range b {
		if lower(c) != s[i] {
			return false
		}
	}
	return true
}

// withoutSpace returns b without the one space that usually begins a value.
func withoutSpace(b []byte) []byte {
	if len(b) > 0 && b[0] == ' ' {
		return b[1:]
	}
	return b
}

func hexDigit(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c && c <= 'f':
		return int(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

// control returns the index of the first control character in b (RFC 5234: CTL), tabs included, or
// len(b). It examines eight bytes at a time.
func control(b []byte) int {
	const (
		ones = 0x0101010101010101
		tops = 0x80 * ones
	)
	i := 0
	for ; i+8 <= len(b); i += 8 {
		x := binary.LittleEndian.Uint64(b[i:])
		// A borrow out of a byte can only mark bytes after the first one that is rightly marked.
		below := (x - ' '*ones) &^ x
		del := x ^ 0x7f*ones
		if found := (below | (del-ones)&^del) & tops; found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
	}
	for ; i < len(b); i++ {
		if b[i] < ' ' || b[i] == 0x7f {
			return i
		}
	}
	return i
}

// isToken marks the bytes allowed in names (RFC 9110, section 5.6.2).
var isToken = [...]bool{
	'!': true, '#': true, '$': true, '%': true, '&': true, '\'': true, '*': true, '+': true, '-': true, '.': true,
	'^': true, '_': true, '`': true, '|': true, '~': true,
	'0': true, '1': true, '2': true, '3': true, '4': true, '5': true, '6': true, '7': true, '8': true, '9': true,
	'A': true, 'B': true, 'C': true, 'D': true, 'E': true, 'F': true, 'G': true, 'H': true, 'I': true, 'J': true,
	'K': true, 'L': true, 'M': true, 'N': true, 'O': true, 'P': true, 'Q': true, 'R': true, 'S': true, 'T': true,
	'U': true, 'V': true, 'W': true, 'X': true, 'Y': true, 'Z': true,
	'a': true, 'b': true, 'c': true, 'd': true, 'e': true, 'f': true, 'g': true, 'h': true, 'i': true, 'j': true,
	'k': true, 'l': true, 'm': true, 'n': true, 'o': true, 'p': true, 'q': true, 'r': true, 's': true, 't': true,
	'u': true, 'v': true, 'w': true, 'x': true, 'y': true, 'z': true,
	255: false,
}
