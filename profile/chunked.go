package profile

import "iter"

// chunked is a list that grows without copying, for columns whose length is unknown until the end
// of the input: append would leave garbage of several times the list's size.
type chunked[T any] struct {
	full [][]T
	last []T
	n    int
}

// Chunks grow to chunkMax elements.
const (
	chunkMin = 64
	chunkMax = 1 << 14
)

func (c *chunked[T]) add(x T) {
	if len(c.last) == cap(c.last) {
		if c.last != nil {
			c.full = append(c.full, c.last)
		}
		c.last = make([]T, 0, min(max(chunkMin, c.n), chunkMax))
	}
	c.last = append(c.last, x)
	c.n++
}

// all yields the elements in order.
func (c *chunked[T]) all() iter.Seq[*T] {
	return func(yield func(*T) bool) {
		for _, chunk := range c.full {
			for i := range chunk {
				if !yield(&chunk[i]) {
					return
				}
			}
		}
		for i := range c.last {
			if !yield(&c.last[i]) {
				return
			}
		}
	}
}

// take returns the list as one slice of exactly its length, and empties it chunk
// by chunk.
func (c *chunked[T]) take() []T {
	all := make([]T, 0, c.n)
	for i, chunk := range c.full {
		all = append(all, chunk...)
		c.full[i] = nil
	}
	all = append(all, c.last...)
	*c = chunked[T]{}
	return all
}
