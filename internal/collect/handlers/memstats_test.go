package handlers

import (
	"bytes"
	"runtime/debug"
	"runtime/pprof"
	"strings"
	"testing"
)

func heapText(t testing.TB) []byte {
	t.Helper()
	var buf bytes.Buffer
	if err := pprof.Lookup("heap").WriteTo(&buf, 1); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func TestMemStatsTail(t *testing.T) {
	debug.FreeOSMemory() // at least one collection
	stats, err := memStatsTail(bytes.NewReader(heapText(t)))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"Alloc", "TotalAlloc", "Sys", "Mallocs", "HeapInuse", "NumGC", "NextGC"} {
		if stats.Value(name) <= 0 {
			t.Errorf("%s is %d", name, stats.Value(name))
		}
	}
	if stats.Value("NoSuch") != -1 || bytes.Contains(stats, []byte("heap profile")) {
		t.Errorf("%s", stats)
	}
	if _, err := memStatsTail(strings.NewReader("heap profile: 0: 0")); err == nil {
		t.Error("no statistics: no error")
	}
}

func FuzzMemStatsTail(f *testing.F) {
	f.Add(heapText(f))
	f.Add([]byte("# runtime.MemStats\n# Alloc = 1\n# Stack = 1 / 2\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		stats, err := memStatsTail(bytes.NewReader(data))
		if err == nil && (len(stats) == 0 || len(stats) > maxMemStats || len(stats) > len(data)) {
			t.Errorf("%d bytes out of %d", len(stats), len(data))
		}
		stats.Value("Alloc")
	})
}
