package input

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"

	"github.com/whet-go/whet/internal/hostile"
)

// A cancelReader calls cancel at its second read.
type cancelReader struct {
	r      io.Reader
	cancel context.CancelFunc
	reads  int
}

func (r *cancelReader) Read(b []byte) (int, error) {
	if r.reads++; r.reads == 2 {
		r.cancel()
	}
	return r.r.Read(b[:min(len(b), 1<<10)])
}

// TestCanceled stops reading a profile in the middle when the context ends.
func TestCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r := &cancelReader{r: bytes.NewReader(hostile.Labels(100_000)), cancel: cancel}
	o := &Opener{Op: "top", Stdin: r}
	if _, err := o.Open(ctx, []string{"-"}, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want context.Canceled", err)
	}
	if r.reads > 200 { // a buffer of 128 kB of what is at least 1 MB
		t.Errorf("%d reads after the context ended", r.reads)
	}
}
