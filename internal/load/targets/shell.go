package targets

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// lexer splits shell commands into words: quoting as in POSIX (Shell Command Language, section
// 2.2), and $'…' as in bash, which browsers use when they copy requests as curl commands. What a
// shell would expand (variables, commands) or execute (pipes, redirections) is an error.
type lexer struct {
	data string
	at   int
	line int // of data[at], from 1
}

// Words splits a command line into words as a shell does, for commands that run without a shell.
// Quoted text is one word; anything a shell would expand or execute, such as $HOME or a pipe, is an
// error, and so is a second command. An empty line has no words.
func Words(line string) ([]string, error) {
	l := &lexer{data: line, line: 1}
	comment := func(int, string) error { return errShell("a #") }
	words, _, err := l.command(comment)
	if err != nil {
		return nil, err
	}
	more, _, err := l.command(comment)
	if err == nil && len(more) > 0 {
		err = fmt.Errorf("second command %q on another line; to continue the first, end its line in \\", more[0])
	}
	return words, err
}

// errShell reports a part of a word that a shell would interpret.
func errShell(what string) error {
	return fmt.Errorf("%s: a shell would interpret it; put it in single quotes if it is literal", what)
}

// peek returns the byte i positions ahead, or 0.
func (l *lexer) peek(i int) byte {
	if l.at+i < len(l.data) {
		return l.data[l.at+i]
	}
	return 0
}

// next returns the current byte, which must exist, and advances.
func (l *lexer) next() byte {
	c := l.data[l.at]
	l.at++
	if c == '\n' {
		l.line++
	}
	return c
}

// newline returns the length of the line end at the current position, or 0.
func (l *lexer) newline(i int) int {
	switch {
	case l.peek(i) == '\n':
		return 1
	case l.peek(i) == '\r' && l.peek(i+1) == '\n':
		return 2
	}
	return 0
}

// skip advances by n bytes.
func (l *lexer) skip(n int) {
	for range n {
		l.next()
	}
}

// command returns the words of the next command and its line. Without words, the input is at its
// end. comment is called for each comment.
func (l *lexer) command(comment func(line int, text string) error) (words []string, line int, err error) {
	for l.at < len(l.data) {
		if n := l.newline(0); n > 0 {
			l.skip(n)
			if len(words) > 0 {
				return words, line, nil
			}
			continue
		}
		if c := l.peek(0); c == ' ' || c == '\t' || c == '\r' {
			l.next()
			continue
		}
		if l.peek(0) == '\\' && l.newline(1) > 0 {
			l.skip(1 + l.newline(1))
			continue
		}
		if l.peek(0) == '#' {
			text, _, _ := strings.Cut(l.data[l.at:], "\n")
			if err := comment(l.line, text); err != nil {
				return nil, l.line, err
			}
			l.skip(len(text))
			continue
		}
		if len(words) == 0 {
			line = l.line
		}
		word, err := l.word()
		if err != nil {
			return nil, l.line, err
		}
		words = append(words, word)
	}
	return words, line, nil
}

// word reads a word, which must begin here.
func (l *lexer) word() (string, error) {
	var b strings.Builder
	for l.at < len(l.data) && l.newline(0) == 0 {
		switch c := l.peek(0); c {
		case ' ', '\t':
			return b.String(), nil
		case '\'':
			l.next()
			text, _, ok := strings.Cut(l.data[l.at:], "'")
			if !ok {
				return "", errors.New("missing closing '")
			}
			l.skip(len(text) + 1)
			b.WriteString(text)
		case '"':
			l.next()
			if err := l.double(&b); err != nil {
				return "", err
			}
		case '\\':
			if n := l.newline(1); n > 0 {
				l.skip(1 + n)
				continue
			}
			l.next()
			if l.at == len(l.data) {
				return "", errors.New("nothing follows the last \\")
			}
			b.WriteByte(l.next())
		case '$':
			if l.peek(1) == '\'' {
				l.skip(2)
				if err := l.ansi(&b); err != nil {
					return "", err
				}
				continue
			}
			if err := l.dollar(false); err != nil {
				return "", err
			}
			b.WriteByte(l.next())
		case '`', ';', '&', '|', '<', '>', '(', ')':
			return "", errShell(fmt.Sprintf("%q outside quotes", string(c)))
		default:
			b.WriteByte(l.next())
		}
	}
	return b.String(), nil
}

// double reads the rest of a text in double quotes.
func (l *lexer) double(b *strings.Builder) error {
	for l.at < len(l.data) {
		switch c := l.peek(0); c {
		case '"':
			l.next()
			return nil
		case '\\':
			switch n := l.newline(1); {
			case n > 0:
				l.skip(1 + n)
				continue
			case l.peek(1) != 0 && strings.IndexByte("$`\"\\", l.peek(1)) >= 0:
				l.next()
			}
			b.WriteByte(l.next())
		case '`':
			return errShell("a ` in double quotes")
		case '$':
			if err := l.dollar(true); err != nil {
				return err
			}
			b.WriteByte(l.next())
		default:
			b.WriteByte(l.next())
		}
	}
	return errors.New(`missing closing "`)
}

// dollar accepts the current $ if a shell would keep it; quoted reports whether it is in double
// quotes.
func (l *lexer) dollar(quoted bool) error {
	c := l.peek(1)
	switch {
	case c == '_', 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9',
		c != 0 && strings.IndexByte("({[@*#?-$!", c) >= 0, c == '"' && !quoted:
		return errShell("a $" + string(rune(c)))
	}
	return nil
}

// ansi reads the rest of a text in $'…' (bash manual, ANSI-C Quoting).
func (l *lexer) ansi(b *strings.Builder) error {
	for l.at < len(l.data) {
		c := l.next()
		if c == '\'' {
			return nil
		}
		if c != '\\' || l.at == len(l.data) {
			b.WriteByte(c)
			continue
		}
		switch c = l.next(); c {
		case 'a':
			b.WriteByte('\a')
		case 'b':
			b.WriteByte('\b')
		case 'e', 'E':
			b.WriteByte(0x1b)
		case 'f':
			b.WriteByte('\f')
		case 'n':
			b.WriteByte('\n')
		case 'r':
			b.WriteByte('\r')
		case 't':
			b.WriteByte('\t')
		case 'v':
			b.WriteByte('\v')
		case '\\', '\'', '"', '?':
			b.WriteByte(c)
		case 'x':
			l.code(b, c, 16, 2)
		case 'u':
			l.code(b, c, 16, 4)
		case 'U':
			l.code(b, c, 16, 8)
		case '0', '1', '2', '3', '4', '5', '6', '7':
			l.at-- // a digit, not a newline
			l.code(b, c, 8, 3)
		default:
			b.WriteByte('\\')
			b.WriteByte(c)
		}
	}
	return errors.New("missing closing ' of $'")
}

// code reads at most n digits of the code that \c announces; without a digit, it is text.
func (l *lexer) code(b *strings.Builder, c byte, base, n int) {
	value, digits := rune(0), 0
	for ; digits < n; digits++ {
		d := strings.IndexByte("0123456789abcdef", l.peek(0)|0x20)
		if l.peek(0) < '0' || d < 0 || d >= base {
			break
		}
		value = value*rune(base) + rune(d)
		l.at++
	}
	switch {
	case digits == 0:
		b.WriteByte('\\')
		b.WriteByte(c)
	case c == 'u' || c == 'U':
		if !utf8.ValidRune(value) {
			value = utf8.RuneError
		}
		b.WriteRune(value)
	default:
		b.WriteByte(byte(value))
	}
}
