package advance

import (
	"fmt"
	"io"
	"sync/atomic"
	"time"
)

// Trace returns open with a reader that counts, and a function to call with the events and the time that were read.
// That calls status, at most once a second, with a sentence, and part with the read part of size bytes, from 0 to 1,
// or 0 if size is. Both may be nil.
func Trace(
	open func() (io.ReadCloser, error), size int64, status func(string), part func(float64),
) (counted func() (io.ReadCloser, error), progress func(events int64, of time.Duration)) {
	var read atomic.Int64
	counted = func() (io.ReadCloser, error) {
		r, err := open()
		if err != nil {
			return nil, err
		}
		return &counter{r, &read}, nil
	}
	last := time.Now()
	return counted, func(events int64, of time.Duration) {
		if time.Since(last) < time.Second {
			return
		}
		last = time.Now()
		if part != nil && size > 0 {
			part(min(1, float64(read.Load())/float64(size)))
		}
		if status != nil {
			status(fmt.Sprintf("trace: %d events, %v of it …", events, of.Round(time.Millisecond)))
		}
	}
}

type counter struct {
	io.ReadCloser

	n *atomic.Int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	c.n.Add(int64(n))
	return n, err
}
