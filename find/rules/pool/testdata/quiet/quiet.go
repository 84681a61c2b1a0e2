package quiet

import (
	"bytes"
	"compress/gzip"
	"io"
	"sync"
)

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func Render(s string) string {
	b := buffers.Get().(*bytes.Buffer)
	defer release(b)
	b.WriteString(s)
	return b.String()
}

func Bytes(s string) []byte {
	b := buffers.Get().(*bytes.Buffer)
	defer release(b)
	b.WriteString(s)
	return bytes.Clone(b.Bytes())
}

func release(b *bytes.Buffer) {
	if b.Cap() > 1<<16 {
		return
	}
	b.Reset()
	buffers.Put(b)
}

var writers = sync.Pool{New: func() any { return gzip.NewWriter(io.Discard) }}

func Zip(w io.Writer, data []byte) error {
	z := writers.Get().(*gzip.Writer)
	defer writers.Put(z)
	z.Reset(w)
	if _, err := z.Write(data); err != nil {
		return err
	}
	return z.Close()
}

type Pool[T any] struct{ p sync.Pool }

func (p *Pool[T]) Put(v T)        { p.p.Put(v) }
func (p *Pool[T]) PutAll(v ...*T) { p.p.Put(v[0]) }

type node struct {
	next *node
	n    int
}

type wrapped struct{ *node }

var nodes = sync.Pool{New: func() any { return &node{} }}

func Nodes() any {
	n := nodes.Get().(*node)
	nodes.Put(n)
	nodes.Put(wrapped{n})
	nodes.Put(any(n))
	nodes.Put(map[string]int{})
	nodes.Put(nil)
	nodes.Put(byte(1))
	return nil
}
