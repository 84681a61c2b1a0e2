package prove_test

import (
	"strings"
	"testing"

	"github.com/whet-go/whet/internal/prove/provetest"
	"github.com/whet-go/whet/prove"
)

// unexportedModule is a module with an unexported function that relies on its callers.
const unexportedModule = `
-- go.mod --
module example.com/id

go 1.26
-- id.go --
// Package id has identifiers.
package id

const digits = "0123456789abcdef"

// An ID identifies.
type ID [4]byte

// String returns the digits.
func (id ID) String() string {
	text := make([]byte, 8)
	encode(text, id[:])
	return string(text)
}

//go:noinline
func encode(dst, id []byte) {
	for i, b := range id {
		dst[2*i] = digits[b>>4]
		dst[2*i+1] = digits[b&15]
	}
}

// First returns the first letter.
func First(s string) string { return s[:1] + rest(s) }

func rest(s string) string { return first(s) + string(make([]byte, 0, len(s)&7)) }

func first(s string) string { return s[1:][:0] }
-- id_test.go --
package id

import "testing"

func BenchmarkString(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		_ = ID{1, 2, 3, 4}.String()
		_ = First("ab")
	}
}
`

// TestUnexported checks that an unexported function need not behave the same for arguments on which it
// panics, if its callers do, and that a difference that no caller shows requires a review.
func TestUnexported(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	const loop = "\tfor i, b := range id {\n"
	for _, test := range []struct {
		name, old, new string
		outcome        prove.Outcome
		says           string
	}{
		{
			name: "crashes earlier", old: loop, new: "\t_ = dst[:2*len(id)]\n" + loop,
			outcome: prove.OutcomeSameSpeed,
		},
		{
			name: "only callers decide", old: loop, new: "\tif len(id) > 4 {\n\t\tid = id[:4]\n\t}\n" + loop,
			outcome: prove.OutcomeUnproven, says: "encode behaves differently with arguments that ID.String did not pass",
		},
		{
			name: "a caller shows it", old: "return s[1:][:0]", new: "return \"\"",
			outcome: prove.OutcomeDifferent, says: "First (which calls rest which calls first) behaves differently",
		},
		{
			name: "a caller shows what it does not crash on", old: "dst[2*i+1] = digits[b&15]", new: "dst[2*i+1] = digits[b&7]",
			outcome: prove.OutcomeDifferent, says: "String (which calls encode) behaves differently",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			provetest.Part(t)
			before := unexportedModule
			if test.name == "a caller shows it" {
				before = strings.Replace(before, "return s[:1] + rest(s)", "return rest(s)", 1)
			}
			a, b := writeModule(t, before), writeModule(t, strings.Replace(before, test.old, test.new, 1))
			r := proveDirs(t, a, b, nil)
			says := r.Reason
			for _, m := range r.Missing {
				says += "\n" + m.What
			}
			if r.Outcome != test.outcome || !strings.Contains(says, test.says) {
				t.Errorf("%s: %s\nwant %s, %s", r.Outcome, says, test.outcome, test.says)
			}
		})
	}
}

// TestConstructors checks that values of a type come from all of its constructors, from other values,
// and from its own methods: without them, no input runs the changed lines.
func TestConstructors(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	const words = `
-- go.mod --
module example.com/words

go 1.26
-- words.go --
// Package words selects words.
package words

import (
	"errors"
	"strings"
)

// A Page has words.
type Page struct {
	All  *Words
	name string
}

// Words are some words.
type Words struct{ list []string }

// NewFromNowhere never works.
func NewFromNowhere(string) (*Page, error) { return nil, errors.New("there is nothing") }

// NewPage returns the page of a text.
func NewPage(text string) *Page { return &Page{All: &Words{strings.Split(text, " ")}, name: "page"} }

func newEmpty(*Page) *Words { return &Words{} }

// Twice returns the words twice.
func (w *Words) Twice() *Words { return &Words{append(append([]string{}, w.list...), w.list...)} }

// Join joins the words.
func (w *Words) Join() string {
	if len(w.list) < 2 {
		return ""
	}
	s := ""
	for _, word := range w.list {
		s += word
	}
	return s
}
-- words_test.go --
package words

import "testing"

func BenchmarkJoin(b *testing.B) {
	w := NewPage("a b c d e f g h").All
	b.ReportAllocs()
	for b.Loop() {
		w.Join()
	}
}
`
	const slow = "\ts := \"\"\n\tfor _, word := range w.list {\n\t\ts += word\n\t}\n\treturn s\n"
	for _, test := range []struct {
		name, now string
		outcome   prove.Outcome
	}{
		{"the same", "\treturn strings.Join(w.list, \"\")\n", prove.OutcomeFaster},
		{"only without the last", "\treturn strings.Join(w.list[:max(len(w.list)-1, 1)], \"\")\n", prove.OutcomeDifferent},
	} {
		t.Run(test.name, func(t *testing.T) {
			provetest.Part(t)
			r := proveDirs(t, writeModule(t, words), writeModule(t, strings.Replace(words, slow, test.now, 1)), nil)
			if r.Outcome != test.outcome {
				t.Errorf("%s: %s\n%v", r.Outcome, r.Reason, r.Missing)
			}
		})
	}
}
