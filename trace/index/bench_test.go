package index

import (
	"os"
	"path/filepath"
	"testing"
)

// BenchmarkBuild builds the index of the trace that WHET_BENCH_TRACE names.
func BenchmarkBuild(b *testing.B) {
	name := os.Getenv("WHET_BENCH_TRACE")
	if name == "" {
		b.Skip("WHET_BENCH_TRACE names no trace")
	}
	b.ReportAllocs()
	out := filepath.Join(b.TempDir(), "x")
	for b.Loop() {
		f, err := os.Open(name)
		if err != nil {
			b.Fatal(err)
		}
		info, err := Build(b.Context(), f, out, Options{})
		if err != nil || info.Damage != "" {
			b.Fatalf("%v, %s", err, info.Damage)
		}
		if err := f.Close(); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(info.Events), "events/op")
	}
}
