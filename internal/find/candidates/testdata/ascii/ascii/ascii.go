package ascii

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"unicode"
	"unicode/utf8"

	"test/values"
)

func Copied(s string) string {
	var b strings.Builder
	b.WriteRune('"') // want `Write '"' as a byte`
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:]) // want `Take a byte that is ASCII as the character`
		b.WriteRune(r)                         // want `Write r as a byte if it is ASCII`
		i += n
	}
	b.WriteRune('é')
	return b.String()
}

type lexer struct {
	text  []byte
	at    int
	width int
}

func (l *lexer) next() (r rune) {
	if l.at >= len(l.text) {
		return -1
	}
	r, l.width = utf8.DecodeRune(l.text[l.at:]) // want `Take a byte that is ASCII as the character`
	l.at += l.width
	return r
}

func Classes(text string) (n int) {
	l := &lexer{text: []byte(text)}
	for r := l.next(); r >= 0; r = l.next() {
		if unicode.IsSpace(r) { // want `Compare r in place if it is ASCII`
			n++
		}
		if !unicode.IsDigit(r) && unicode.IsLetter(r) { // want `Compare r in place` `Compare r in place`
			n += 3
		}
		switch {
		case unicode.IsUpper(r): // want `Compare r in place`
			n += 7
		case unicode.IsLower(r): // want `Compare r in place`
			n += 11
		case unicode.IsPunct(r):
			n += 13
		}
	}
	return n
}

// The results count.
func Counted(s string) (n int) {
	var b strings.Builder
	for _, r := range s {
		m, _ := b.WriteRune(r)
		n += m
	}
	return n
}

func Try(r *rand.Rand) string {
	s := values.String(r)
	return fmt.Sprint(Copied(s), Classes(s), Classes(string(values.Rune(r))), Counted(s))
}
