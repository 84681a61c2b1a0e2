package value

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"

	"test/values"
)

type scanner struct {
	text string
	at   int
}

func newScanner(text string) *scanner {
	return &scanner{text: text} // want `Return the scanner by value`
}

func (s *scanner) next() (byte, bool) {
	if s.at == len(s.text) {
		return 0, false
	}
	s.at++
	return s.text[s.at-1], true
}

func Spaces(text string) (n int) {
	s := newScanner(text)
	for {
		c, ok := s.next()
		if !ok {
			return n + s.at
		}
		if c == ' ' {
			n++
		}
	}
}

type pair struct{ before, after string }

func cut(text string) *pair {
	p := &pair{} // want `Return the pair by value`
	p.before, p.after, _ = strings.Cut(text, ":")
	return p
}

func After(text string) string {
	p := cut(text)
	return p.after + p.before
}

type node struct{ next *node }

func link(next *node) *node { return &node{next} }

func List() *node { return link(link(nil)) }

func found(text string) *pair {
	if text == "" {
		return nil
	}
	return &pair{before: text}
}

func Found(text string) bool {
	p := found(text)
	return p != nil
}

type parser struct{ separator string }

func (p parser) parse(text string) (*pair, error) {
	before, after, ok := strings.Cut(text, p.separator)
	if !ok {
		return nil, errors.New("no separator")
	}
	return &pair{before, after}, nil // want `Return the pair by value`
}

func Parsed(text string) (string, error) {
	p, err := parser{" "}.parse(text)
	if err != nil {
		return "", err
	}
	return p.after, nil
}

func NewPair(text string) *pair { return &pair{before: text} }

func Try(r *rand.Rand) string {
	text := values.String(r)
	parsed, err := Parsed(text)
	return fmt.Sprint(parsed, err, Spaces(text), After(text), List().next.next, Found(text), *NewPair(text))
}
