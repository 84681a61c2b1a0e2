package timeline_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/whet-go/whet/trace/index"
	"github.com/whet-go/whet/trace/timeline"
)

// opened opens the index of the trace that WHET_BENCH_TRACE names, and builds it unless the file is
// an index itself.
func opened(b *testing.B) *index.Index {
	b.Helper()
	name := os.Getenv("WHET_BENCH_TRACE")
	if name == "" {
		b.Skip("WHET_BENCH_TRACE names no trace")
	}
	x, err := index.Open(name)
	if err != nil {
		data, err := os.ReadFile(name)
		if err != nil {
			b.Fatal(err)
		}
		name = filepath.Join(b.TempDir(), "index")
		if _, err := index.Build(b.Context(), bytes.NewReader(data), name, index.Options{}); err != nil {
			b.Fatal(err)
		}
		if x, err = index.Open(name); err != nil {
			b.Fatal(err)
		}
	}
	b.Cleanup(func() {
		if err := x.Close(); err != nil {
			b.Error(err)
		}
	})
	return x
}

// BenchmarkTimeline queries windows of all lengths at random positions: forty goroutines, those
// that ran longest and others, all processors and the collector's ranges. Quantiles are those of
// single windows.
func BenchmarkTimeline(b *testing.B) {
	x := opened(b)
	tl := timeline.New(x, "trace")
	page := func(q timeline.RowQuery) []string {
		list, err := tl.Rows(b.Context(), q)
		if err != nil {
			b.Fatal(err)
		}
		var ids []string
		for _, row := range list.Rows {
			ids = append(ids, row.ID)
		}
		return ids
	}
	goroutines := page(timeline.RowQuery{Type: timeline.Goroutine, Order: timeline.Busy, Limit: 30})
	r := rand.New(rand.NewPCG(1, 2))
	for range 10 {
		goroutines = append(goroutines, fmt.Sprint("g", r.Uint32N(x.Info.Goroutines)))
	}
	for _, one := range []struct {
		name string
		ids  []string
	}{
		{"goroutines", goroutines},
		{"procs", page(timeline.RowQuery{Type: timeline.Proc, Limit: 1000})},
		{"threads", page(timeline.RowQuery{Type: timeline.Thread, Limit: 1000})},
		{"ranges", page(timeline.RowQuery{Type: timeline.Range})},
	} {
		b.Run("rows="+one.name, func(b *testing.B) {
			b.ReportAllocs()
			var took []time.Duration
			for b.Loop() {
				from := r.Int64N(x.Info.Duration)
				to := from + 1 + r.Int64N(x.Info.Duration-from)>>r.IntN(24)
				begin := time.Now()
				answer, err := tl.Spans(b.Context(), timeline.SpanQuery{From: from, To: to, Width: 1500, IDs: one.ids})
				if err != nil {
					b.Fatal(err)
				}
				took = append(took, time.Since(begin))
				if len(answer.Rows) != len(one.ids) {
					b.Fatalf("%d rows, want %d", len(answer.Rows), len(one.ids))
				}
			}
			slices.Sort(took)
			for _, q := range []struct {
				name string
				at   float64
			}{{"p50-ms", 0.5}, {"p99-ms", 0.99}, {"max-ms", 1}} {
				at := took[min(int(q.at*float64(len(took))), len(took)-1)]
				b.ReportMetric(float64(at.Microseconds())/1000, q.name)
			}
		})
	}
	b.Run("metric=heap", func(b *testing.B) {
		metrics := tl.Trace().Metrics
		if len(metrics) == 0 {
			b.Skip("no metrics")
		}
		var took []time.Duration
		for b.Loop() {
			from := r.Int64N(x.Info.Duration)
			begin := time.Now()
			if _, err := tl.Metric(metrics[len(metrics)-1], from, from+1+r.Int64N(x.Info.Duration-from)>>r.IntN(24),
				1500); err != nil {
				b.Fatal(err)
			}
			took = append(took, time.Since(begin))
		}
		slices.Sort(took)
		b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
	})
}
