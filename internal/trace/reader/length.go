package reader

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"golang.org/x/exp/trace"
)

// Length reads a trace and returns the time from its first event to its last. A trace without events is an error.
func Length(ctx context.Context, from io.Reader) (time.Duration, error) {
	r, err := Open(ctx, from)
	if err != nil {
		return 0, fmt.Errorf("read trace: %w", err)
	}
	var first, last trace.Time
	for n := 0; ; n++ {
		ev, err := r.ReadEvent()
		switch {
		case errors.Is(err, io.EOF) && n > 0:
			return last.Sub(first), nil
		case err != nil:
			return 0, fmt.Errorf("read trace: %w", err)
		}
		if last = ev.Time(); n == 0 {
			first = last
		}
	}
}
