package pool

import (
	"bytes"
	"io"
	"strings"
	"sync"
)

var slices = sync.Pool{New: func() any { return make([]byte, 0, 1024) }}

func Copy(w io.Writer, s string) error {
	b := slices.Get().([]byte)
	b = append(b[:0], s...)
	_, err := w.Write(b)
	slices.Put(b) // want `a \[\]byte is put into slices by value`
	return err
}

type pair struct{ a, b int }

var pairs = &sync.Pool{New: func() any { return new(pair) }}

func Sum(a, b int) int {
	p := pairs.Get().(*pair) // want `values of 16 bytes`
	defer pairs.Put(p)
	p.a, p.b = a, b
	return p.a + p.b
}

type owner struct{ values sync.Pool }

func (o *owner) Give(p pair) { (o.values).Put(p) } // want `a pair is put into`

var builders = sync.Pool{New: func() any { return &strings.Builder{} }}

func Build(s string) string {
	b, _ := builders.Get().(*strings.Builder) // want `builders, whose Reset`
	defer builders.Put(b)
	b.Reset()
	b.WriteString(s)
	return b.String()
}

var dirty = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func Dirty(s string) []byte {
	b := dirty.Get().(*bytes.Buffer) // want `nothing resets the buffers of dirty`
	defer dirty.Put(b)               // want `however large`
	b.WriteString(s)
	return b.Bytes() // want `memory of b, which is back in dirty`
}

func Later(s string) []byte {
	b := dirty.Get().(*bytes.Buffer) // want `nothing resets the buffers of dirty`
	if s == "" {
		return b.Bytes()
	}
	b.WriteString(s)
	out := b.Bytes()[:1]
	if b.Cap() < 1<<16 {
		dirty.Put(b)
	}
	return out // want `memory of b`
}

var pointers = sync.Pool{New: func() any { b := make([]byte, 64); return &b }}

func Pointer(n int) ([]byte, error) {
	b := pointers.Get().(*[]byte)
	defer pointers.Put(b)
	if n == 0 {
		return *b, nil // want `memory of b`
	}
	return (*b)[:n], nil // want `memory of b`
}
