package cache

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/whet-go/whet/internal/hostile"
	"github.com/whet-go/whet/trace/index"
)

// TestMoreMemory opens a trace with a memory limit that it exceeds, and then with a sufficient one.
func TestMoreMemory(t *testing.T) {
	t.Parallel()
	data := hostile.Goroutines(50_000)
	dir := t.TempDir()
	open := func(memory int64) (info index.Info, built bool) {
		t.Helper()
		x, built, err := Open(t.Context(),
			Source{
				Place: "x", State: "1",
				Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil },
			}, dir,
			index.Options{MaxMemory: memory})
		if err != nil {
			t.Fatal(err)
		}
		info = x.Info
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
		return info, built
	}
	for _, step := range []struct {
		memory int64
		built  bool
		whole  bool
	}{
		{16 << 20, true, false},
		{16 << 20, false, false},
		{1 << 20, false, false}, // the existing index covers more
		{128 << 20, true, true},
		{16 << 20, false, true},
		{0, false, true},
	} {
		info, built := open(step.memory)
		limited := strings.Contains(info.Damage, "goroutines are alive, which need more than 16")
		if built != step.built || limited == step.whole || limited != (info.Limited > 0) {
			t.Errorf("%d bytes: built %v, %+v", step.memory, built, info)
		}
		if !step.whole && (info.Goroutines > 16<<20/1000 || info.Goroutines < 1000) ||
			step.whole && info.Goroutines != 50_001 {
			t.Errorf("%d bytes: %d goroutines", step.memory, info.Goroutines)
		}
	}
}
