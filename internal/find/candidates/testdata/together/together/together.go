package together

import (
	"fmt"
	"math/rand/v2"

	"test/values"
)

type options struct{ depth, width int }

type state struct {
	text string
	o    *options
	buf  []byte
	last *options
}

func New(text string, n int) *state {
	return &state{text: text, o: &options{depth: n}, buf: make([]byte, 0, 64)} // want `Allocate state and what 2 of its fields refer to as one`
}

func Filled(n int) *state {
	s := &state{ // want `what 2 of its fields`
		o:    new(options),
		buf:  make([]byte, 4),
		text: fmt.Sprint(n),
	}
	s.buf[0] = byte(n)
	s.buf = append(s.buf, 1)
	return s
}

type path struct {
	words []string
	n     int
}

func Path(first string) *path {
	return &path{n: 1, words: []string{first, "end"}} // want `Allocate path and what 1 of its fields`
}

// The elements have indexes.
func Indexed() *path { return &path{words: []string{3: "end"}} }

// The size is not constant.
func Sized(n int) *state { return &state{buf: make([]byte, max(n, 0)%8)} }

// Nothing is allocated with it.
func Given(o *options) *state { return &state{o: o} }

// The calls would change their order.
func Ordered(next func() int) *state {
	return &state{text: fmt.Sprint(next()), o: &options{depth: next()}}
}

// It is evaluated only sometimes.
func Sometimes(text string) bool {
	return text != "" && (&state{o: &options{}}).o != nil
}

func Try(r *rand.Rand) string {
	n := 0
	next := func() int { n++; return n }
	s, f, o := New(values.String(r), values.Int(r)), Filled(values.Int(r)), Ordered(next)
	return fmt.Sprint(s.text, *s.o, len(s.buf), cap(s.buf) >= 64, f.text, *f.o, f.buf, s.last == nil, o.text, *o.o,
		Sized(values.Int(r)).buf, *Path(values.String(r)), len(Indexed().words), Given(nil).o == nil, Sometimes(values.String(r)))
}
