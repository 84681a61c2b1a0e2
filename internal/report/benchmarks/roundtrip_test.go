package benchmarks

import (
	"io"
	"testing"

	"github.com/whet-go/whet/bench"
	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/bench/history"
	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/internal/report/reporttest"
	"github.com/whet-go/whet/service"
)

// TestRoundTrip checks that documents that were read back have the same views.
func TestRoundTrip(t *testing.T) {
	s := layout.Style{Width: 100}
	reporttest.RoundTrip(t, benchmarks(t, 3),
		func(w io.Writer, c *bench.Comparison) error { return Comparison(c).Write(w, s) },
		func(w io.Writer, c *bench.Comparison) error { return Comparison(c).WriteMarkdown(w) }, WritePage)
	reporttest.RoundTrip(t, drawnAB(),
		func(w io.Writer, r *ab.Result) error { return abDocument(r).Write(w, s) },
		func(w io.Writer, r *ab.Result) error { return abDocument(r).WriteMarkdown(w) }, WriteABPage)
	reporttest.RoundTrip(t, drawnHistory(t, 2, 12),
		func(w io.Writer, r *history.Report) error { return WriteHistory(w, s, r) }, WriteHistoryPage)
	reporttest.RoundTrip(t, serviceResult(abResult().Subjects[0].Units...),
		func(w io.Writer, r *service.Result) error { return WriteServices(w, s, r) })
}
