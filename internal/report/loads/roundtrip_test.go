package loads

import (
	"io"
	"testing"

	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/internal/report/reporttest"
	"github.com/whet-go/whet/load"
	"github.com/whet-go/whet/load/capacity"
	"github.com/whet-go/whet/load/compare"
)

// TestRoundTrip checks that documents that were read back have the same views.
func TestRoundTrip(t *testing.T) {
	s := layout.Style{Width: 100}
	for _, r := range []*load.Result{loadResult(t, 1, 1), failedLoad(t)} {
		reporttest.RoundTrip(t, r,
			func(w io.Writer, r *load.Result) error { return Write(w, s, r, nil) },
			func(w io.Writer, r *load.Result) error { return WritePage(w, Page{Runs: []*load.Result{r}}) })
	}
	reporttest.RoundTrip(t, searched(t),
		func(w io.Writer, r *capacity.Result) error { return WriteCapacity(w, s, r) },
		func(w io.Writer, r *capacity.Result) error { return WritePage(w, CapacityPage(r)) })
	c, err := compare.Compare(compare.Input{Name: "a", Runs: []*load.Result{loadResult(t, 1, 1)}},
		compare.Input{Name: "b", Runs: []*load.Result{loadResult(t, 2, 1.2)}})
	if err != nil {
		t.Fatal(err)
	}
	reporttest.RoundTrip(t, c,
		func(w io.Writer, c *compare.Comparison) error { return WriteComparison(w, s, c) })
}
