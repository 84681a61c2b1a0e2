package chunk

import (
	"fmt"
	"math/rand/v2"
	"sync"

	"test/values"
)

type token struct {
	text string
	at   int
}

func Tokens(words []string) (list []*token) {
	for i, w := range words {
		list = append(list, &token{text: w, at: i}) // want `Allocate 32 of token at once`
	}
	return list
}

type lexer struct {
	text   string
	at     int
	tokens []*token
}

func (l *lexer) emit(n int) {
	tok := &token{text: l.text[l.at : l.at+n], at: l.at} // want `Allocate 32 of token at once`
	l.tokens = append(l.tokens, tok)
	l.at += n
}

func Lex(text string) []*token {
	l := &lexer{text: text}
	for range text {
		l.emit(min(1, len(text)-l.at))
	}
	return l.tokens
}

type Reader struct {
	rest []string
	n    int
}

func (r *Reader) next() string {
	w := r.rest[0]
	r.rest = r.rest[1:]
	r.n++
	return w
}

func (r Reader) empty() bool { return len(r.rest) == 0 }

func read(r *Reader, at int) *token {
	if r.empty() {
		return nil
	}
	return &token{text: r.next(), at: at} // want `Allocate 32 of token at once`
}

func (r *Reader) pair() *token {
	var t token // want `Allocate 32 of token at once`
	t.text = r.next()
	if len(r.rest) > 0 {
		t.at = len(r.next())
	}
	if t == (token{}) {
		return nil
	}
	return &t
}

func (r *Reader) local() int {
	var t token
	t.text = r.next()
	return len(t.text)
}

func Pairs(words []string) (text string) {
	r := &Reader{rest: words}
	for len(r.rest) > 1 {
		text += fmt.Sprint(r.pair(), r.local())
	}
	return text
}

func Read(words []string) (list []*token) {
	r := &Reader{rest: words}
	for t := read(r, 0); t != nil; t = read(r, r.n) {
		list = append(list, t)
	}
	return list
}

// At most one is made.
func First(words []string) *token {
	for i, w := range words {
		if w != "" {
			return &token{text: w, at: i}
		}
	}
	return nil
}

// Others may call it at once.
type shared struct {
	mu   sync.Mutex
	at   int
	list []*token
}

func (s *shared) add(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.at++
	s.list = append(s.list, &token{text: text, at: s.at})
}

// A copy would hand out the same tokens.
type copied struct {
	at   int
	list []*token
}

func (c *copied) add(text string) {
	c.at++
	c.list = append(c.list, &token{text: text, at: c.at})
}

func Copied(text string) int {
	c := copied{}
	c.add(text)
	d := c
	d.add(text)
	return d.at + c.at
}

func Try(r *rand.Rand) string {
	var s shared
	s.add("a")
	text := ""
	for _, t := range append(Tokens(values.Strings(r)), append(Read(values.Strings(r)), Lex(values.String(r))...)...) {
		text += fmt.Sprint(*t)
	}
	return fmt.Sprint(text, Pairs([]string{"a", "b", values.String(r), "c", "", "d"}), First(values.Strings(r)) != nil, len(s.list), Copied("b"))
}
