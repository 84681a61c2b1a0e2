package config

import (
	"bytes"
	"context"
	"time"

	"github.com/whet-go/whet/internal/diag"
)

// followEvery is the time between two looks at a configuration.
const followEvery = 5 * time.Second

// Follow reads a configuration again when its content has changed, and whenever now has a value, until
// ctx ends. It calls changed with each configuration that differs from c in content, or with the error
// of one that cannot be read, once for each content. After now had a value, changed is called in any case.
func Follow[T any](ctx context.Context, c *Config, now <-chan T, changed func(*Config, error)) {
	last, failed := c.content, ""
	tick := time.NewTicker(followEvery)
	defer tick.Stop()
	for {
		asked := false
		select {
		case <-ctx.Done():
			return
		case <-now:
			asked = true
		case <-tick.C:
		}
		data, err := readLimited(c.File)
		if err != nil {
			if text := err.Error(); asked || failed != text {
				failed = text
				changed(nil, &diag.Error{Op: "read configuration", Err: err})
			}
			continue
		}
		if !asked && bytes.Equal(data, last) {
			// A file that was replaced may be gone for a moment.
			failed = ""
			continue
		}
		last, failed = data, ""
		changed(Parse(c.File, data))
	}
}
