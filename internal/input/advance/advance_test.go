package advance

import (
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestTrace reads a third of a trace.
func TestTrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		said, parts := []string{}, []float64{}
		open, progress := Trace(func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("abcdef")), nil }, 6,
			func(text string) { said = append(said, text) }, func(part float64) { parts = append(parts, part) })
		r, err := open()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(r, make([]byte, 2)); err != nil {
			t.Fatal(err)
		}
		progress(1, time.Millisecond) // too early
		time.Sleep(time.Second)
		progress(7, 1500*time.Microsecond)
		if len(said) != 1 || said[0] != "trace: 7 events, 2ms of it …" || len(parts) != 1 || parts[0] != 1.0/3 {
			t.Errorf("%q %v", said, parts)
		}
	})
}
