package fast

import (
	"encoding/json"
	"unicode/utf8"
)

// appendHashes appends the answer to body, or reports that body is more than it
// understands: out is of no use then, and encoding/json must decide.
func appendHashes(out, body []byte) (answer []byte, ok bool) {
	p := parser{body: body}
	hashes := hashList{out: out, text: make([]byte, 0, 256)}
	if !p.take('[') {
		return nil, false
	}
	if !p.take(']') {
		for {
			if hashes.text, ok = p.appendItem(hashes.text[:0]); !ok {
				return nil, false
			}
			hashes.add()
			if p.take(']') {
				break
			}
			if !p.take(',') {
				return nil, false
			}
		}
	}
	p.space()
	return hashes.end(), p.at == len(body)
}

// A parser reads plain JSON. Each of its methods skips white space first, and
// reports what it does not find or does not understand; then nothing more must be
// read.
type parser struct {
	body []byte
	at   int // position of the next byte
}

func (p *parser) space() {
	for p.at < len(p.body) {
		switch p.body[p.at] {
		case ' ', '\n', '\t', '\r':
			p.at++
		default:
			return
		}
	}
}

// take reads c if it comes next, and reports whether it did.
func (p *parser) take(c byte) bool {
	p.space()
	if p.at == len(p.body) || p.body[p.at] != c {
		return false
	}
	p.at++
	return true
}

// appendItem reads an item and appends its two texts. The keys must be written as
// they are in item, and occur at most once: encoding/json decides which of two counts.
func (p *parser) appendItem(out []byte) (texts []byte, ok bool) {
	if !p.take('{') {
		return nil, false
	}
	var a, b literal
	for !p.take('}') {
		if (a.quoted != nil || b.quoted != nil) && !p.take(',') {
			return nil, false
		}
		key, ok := p.literal()
		if !ok || !p.take(':') {
			return nil, false
		}
		value, ok := p.literal()
		if !ok {
			return nil, false
		}
		switch {
		case string(key.quoted) == `"str_a"` && a.quoted == nil:
			a = value
		case string(key.quoted) == `"str_b"` && b.quoted == nil:
			b = value
		default:
			return nil, false
		}
	}
	if out, ok = a.appendText(out); !ok {
		return nil, false
	}
	return b.appendText(out)
}

// A literal is a string as written in the body, with its quotes. The zero literal is
// that of a missing key, whose text is empty.
type literal struct {
	quoted []byte
	plain  bool // the text is what is between the quotes
}

// literal reads a string. What is in it is not checked if it is not plain.
func (p *parser) literal() (l literal, ok bool) {
	if !p.take('"') {
		return literal{}, false
	}
	text, plain, ascii := p.body[p.at:], true, true
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case '"' < c && c < utf8.RuneSelf && c != '\\', c == ' ': // most of them
		case c == '"':
			l = literal{p.body[p.at-1 : p.at+i+1], plain && (ascii || utf8.Valid(text[:i]))}
			p.at += i + 1
			return l, true
		case c == '\\':
			plain = false
			i++ // what it escapes may be a quote
		case c < ' ':
			return literal{}, false
		case c >= utf8.RuneSelf:
			ascii = false
		}
	}
	return literal{}, false
}

// appendText appends the text that the literal means.
func (l literal) appendText(out []byte) (text []byte, ok bool) {
	if l.quoted == nil {
		return out, true
	}
	if l.plain {
		return append(out, l.quoted[1:len(l.quoted)-1]...), true
	}
	var s string
	if json.Unmarshal(l.quoted, &s) != nil {
		return nil, false
	}
	return append(out, s...), true
}
