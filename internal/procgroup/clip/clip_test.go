package clip_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/whet-go/whet/internal/procgroup/clip"
)

// TestBuffer expects the first and the last bytes of what is written, in bounded memory.
func TestBuffer(t *testing.T) {
	var text []byte
	for i := range 1000 {
		text = fmt.Appendf(text, "%d ", i)
	}
	for _, size := range []int{1, 3, 30, 64, 100, 4000} {
		c := clip.Buffer{Head: 10, Tail: 20}
		for p := range slices.Chunk(text, size) {
			_, _ = c.Write(p)
		}
		got := c.Bytes()
		if !bytes.HasPrefix(got, text[:10]) || !bytes.HasSuffix(got, text[len(text)-20:]) || len(got) > 10+2*20+1 {
			t.Errorf("in pieces of %d: %q", size, got)
		}
	}
	c := clip.Buffer{Head: 10, Tail: 20}
	_, _ = c.Write([]byte("short enough, all of it"))
	if got := c.String(); got != "short enough, all of it" {
		t.Errorf("%q", got)
	}
}
