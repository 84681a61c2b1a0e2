package store

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// An Op is how a matcher compares.
type Op uint8

// The operators of Prometheus.
const (
	Equal     Op = iota // =
	NotEqual            // !=
	Regexp              // =~
	NotRegexp           // !~
)

// String returns the operator as selectors write it.
func (op Op) String() string { return [...]string{"=", "!=", "=~", "!~"}[op] }

// A Matcher selects by the value of one label. A label that is absent has the value "". Regular
// expressions match the whole value. Make one that has a regular expression with NewMatcher.
type Matcher struct {
	Name  string
	Op    Op
	Value string

	re *regexp.Regexp // of Regexp and NotRegexp
}

// Limits of selectors, so that one from a request is read in bounded time.
const (
	maxMatchers = 64
	maxSelector = 16 << 10 // bytes
)

// NewMatcher returns a matcher. It fails if name is not the name of a label or value is not a
// regular expression where op wants one.
func NewMatcher(name string, op Op, value string) (Matcher, error) {
	m := Matcher{Name: name, Op: op, Value: value}
	if !isName(name) {
		return m, fmt.Errorf("label name %q (want letters, digits and underscores)", name)
	}
	if op == Regexp || op == NotRegexp {
		var err error
		if m.re, err = regexp.Compile("^(?s:" + value + ")$"); err != nil {
			return m, fmt.Errorf("label %s: %w", name, err)
		}
		if _, err = regexp.Compile(value); err != nil { // such as "a)(b"
			return m, fmt.Errorf("label %s: %w", name, err)
		}
	}
	return m, nil
}

// Matches reports whether a value matches.
func (m *Matcher) Matches(value string) bool {
	switch m.Op {
	case NotEqual:
		return value != m.Value
	case Regexp, NotRegexp:
		return m.re != nil && m.re.MatchString(value) == (m.Op == Regexp)
	default:
		return value == m.Value
	}
}

// String returns the matcher as selectors write it.
func (m *Matcher) String() string { return m.Name + m.Op.String() + strconv.Quote(m.Value) }

// Selector returns matchers as ParseMatchers reads them.
func Selector(ms []Matcher) string {
	var b strings.Builder
	b.WriteByte('{')
	for i := range ms {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(ms[i].String())
	}
	b.WriteByte('}')
	return b.String()
}

// Matches reports whether all matchers of q, and its Kind, match a series.
func (q *Query) Matches(service, kind string, labels Labels) bool {
	if q.Kind != "" && q.Kind != kind {
		return false
	}
	for i := range q.Matchers {
		m := &q.Matchers[i]
		value := ""
		switch m.Name {
		case ServiceLabel:
			value = service
		case KindLabel:
			value = kind
		default:
			value = labels.Get(m.Name)
		}
		if !m.Matches(value) {
			return false
		}
	}
	return true
}

// A SelectorError is an error in a selector.
type SelectorError struct {
	Selector string
	Offset   int // in bytes
	Err      error
}

// Error returns what is wrong, and where.
func (e *SelectorError) Error() string {
	return fmt.Sprintf("selector %q, byte %d: %v", e.Selector, e.Offset, e.Err)
}

// Unwrap returns the cause.
func (e *SelectorError) Unwrap() error { return e.Err }

// Hint returns an example.
func (e *SelectorError) Hint() string {
	return `write it as {service="shop",env!="test",host=~"web.*"}`
}

// ParseMatchers reads a selector of Prometheus: {name="value", name!="value", name=~"regexp",
// name!~"regexp"}. The braces may be left out, and so may the quotes of a value of letters, digits
// and ._:/-. An empty selector has no matchers. Errors are *SelectorError.
func ParseMatchers(selector string) ([]Matcher, error) {
	p := &selectorParser{text: selector}
	if len(selector) > maxSelector {
		p.text = selector[:40] + "…"
		return nil, p.fail(fmt.Errorf("it is longer than %d bytes", maxSelector))
	}
	ms, err := p.parse()
	if err != nil {
		return nil, p.fail(err)
	}
	return ms, nil
}

// selectorParser reads text from at on.
type selectorParser struct {
	text string
	at   int
}

func (p *selectorParser) fail(err error) error { return &SelectorError{p.text, p.at, err} }

func (p *selectorParser) rest() string { return p.text[p.at:] }

// accept skips spaces and then token, and reports whether token was next.
func (p *selectorParser) accept(token string) bool {
	p.space()
	if !strings.HasPrefix(p.rest(), token) {
		return false
	}
	p.at += len(token)
	return true
}

func (p *selectorParser) space() {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		p.at++
	}
}

func (p *selectorParser) end() bool {
	p.space()
	return p.at == len(p.text)
}

func (p *selectorParser) parse() ([]Matcher, error) {
	if !utf8.ValidString(p.text) {
		return nil, errors.New("not valid UTF-8")
	}
	braces := p.accept("{")
	done := func() bool {
		if braces {
			return p.accept("}")
		}
		return p.end()
	}
	var ms []Matcher
	for more := true; !done(); more = p.accept(",") {
		if !more {
			return nil, errors.New("want a comma or the end")
		}
		if len(ms) == maxMatchers {
			return nil, fmt.Errorf("more than %d matchers", maxMatchers)
		}
		m, err := p.matcher()
		if err != nil {
			return nil, err
		}
		ms = append(ms, m)
	}
	if !p.end() {
		return nil, errors.New("text after the selector")
	}
	return ms, nil
}

func (p *selectorParser) matcher() (Matcher, error) {
	p.space()
	start := p.at
	for p.at < len(p.text) && isNameByte(p.text[p.at], p.at-start) {
		p.at++
	}
	name := p.text[start:p.at]
	if name == "" {
		return Matcher{}, errors.New("want the name of a label")
	}
	for _, op := range []Op{Regexp, NotRegexp, NotEqual, Equal} {
		if p.accept(op.String()) {
			value, err := p.value()
			if err != nil {
				return Matcher{}, err
			}
			return NewMatcher(name, op, value)
		}
	}
	return Matcher{}, fmt.Errorf("want =, !=, =~ or !~ after %s", name)
}

func (p *selectorParser) value() (string, error) {
	p.space()
	if p.at == len(p.text) {
		return "", errors.New("want a value")
	}
	switch quote := p.text[p.at]; quote {
	case '`':
		value, _, ok := strings.Cut(p.text[p.at+1:], "`")
		if !ok {
			return "", errors.New("the quote is not closed")
		}
		p.at += len(value) + 2
		return value, nil
	case '"', '\'':
		p.at++
		return p.quoted(quote)
	}
	start := p.at
	for p.at < len(p.text) && (isNameByte(p.text[p.at], 1) || strings.IndexByte(".:/-", p.text[p.at]) >= 0) {
		p.at++
	}
	if p.at == start {
		return "", errors.New("want a value in quotes")
	}
	return p.text[start:p.at], nil
}

// quoted reads a value with Go's escapes up to the closing quote.
func (p *selectorParser) quoted(quote byte) (string, error) {
	var b strings.Builder
	for p.at < len(p.text) {
		if p.text[p.at] == quote {
			p.at++
			if !utf8.ValidString(b.String()) {
				return "", errors.New("the value is not valid UTF-8")
			}
			return b.String(), nil
		}
		r, multibyte, rest, err := strconv.UnquoteChar(p.rest(), quote)
		if err != nil {
			return "", errors.New("invalid escape or character in a quoted value")
		}
		if r < utf8.RuneSelf || multibyte {
			b.WriteRune(r)
		} else {
			b.WriteByte(byte(r))
		}
		p.at = len(p.text) - len(rest)
	}
	return "", errors.New("the quote is not closed")
}
