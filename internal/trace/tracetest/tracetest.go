package tracetest

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/whet-go/whet/trace/index"
)

// Index returns the open index of a trace. It is closed when the test ends.
func Index(t testing.TB, data []byte) *index.Index {
	t.Helper()
	name := filepath.Join(t.TempDir(), "trace.index")
	if _, err := index.Build(t.Context(), bytes.NewReader(data), name, index.Options{}); err != nil {
		t.Fatal(err)
	}
	x, err := index.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
	return x
}
