package store

import (
	"fmt"
	"strings"
	"time"
)

// NamePrefix begins the name of a query.
const NamePrefix = "store:"

// Name returns a name for what q selects, which ParseName reads: store:cpu{service="shop"}, with
// @FROM/TO at the end if the time is bounded. It does not contain the tenant.
func (q *Query) Name() string {
	name := NamePrefix + q.Kind + Selector(q.Matchers)
	if q.From.IsZero() && q.To.IsZero() {
		return name
	}
	format := func(t time.Time) string {
		if t.IsZero() {
			return ""
		}
		return t.UTC().Format(time.RFC3339Nano)
	}
	return name + "@" + format(q.From) + "/" + format(q.To)
}

// ParseName reads what Name wrote.
func ParseName(name string) (Query, error) {
	var q Query
	text, ok := strings.CutPrefix(name, NamePrefix)
	open, end := strings.IndexByte(text, '{'), strings.LastIndexByte(text, '}')
	if !ok || open < 0 || end < open {
		return q, fmt.Errorf("%.100q is not the name of a query (want %sKIND{SELECTOR})", name, NamePrefix)
	}
	if q.Kind = text[:open]; q.Kind != "" && !isKind(q.Kind) {
		return q, fmt.Errorf("kind %.100q (want lower-case letters, digits and underscores)", q.Kind)
	}
	var err error
	if q.Matchers, err = ParseMatchers(text[open : end+1]); err != nil {
		return q, err
	}
	text = text[end+1:]
	if text == "" {
		return q, nil
	}
	from, to, ok := strings.Cut(strings.TrimPrefix(text, "@"), "/")
	if !ok || text[0] != '@' {
		return q, fmt.Errorf("%.100q after the selector (want @FROM/TO)", text)
	}
	for _, t := range []struct {
		text string
		into *time.Time
	}{{from, &q.From}, {to, &q.To}} {
		if t.text == "" {
			continue
		}
		if *t.into, err = time.Parse(time.RFC3339Nano, t.text); err != nil {
			return q, fmt.Errorf("time %.100q (want RFC 3339, such as 2026-05-04T03:00:00Z)", t.text)
		}
	}
	return q, nil
}
