package findings

import (
	"io"
	"testing"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/find/rules/index"
	"github.com/whet-go/whet/fix"
	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/internal/report/reporttest"
	"github.com/whet-go/whet/pgo"
)

// TestRoundTrip: documents that were read back have the same views.
func TestRoundTrip(t *testing.T) {
	s := layout.Style{Width: 80}
	reporttest.RoundTrip(t, findResult(),
		func(w io.Writer, r *find.Result) error { return WriteFind(w, s, r) }, WriteFindMarkdown, WriteFindPage,
		func(w io.Writer, r *find.Result) error { return WriteFindSARIF(w, r, nil, "v1") })
	reporttest.RoundTrip(t, fixResult(),
		func(w io.Writer, r *fix.Result) error { return WriteFix(w, s, r) }, WriteFixMarkdown, WriteFixPage)
	reporttest.RoundTrip(t, pgoResult(),
		func(w io.Writer, r *pgo.Result) error { return WritePGO(w, s, r) }, WritePGOMarkdown)
	reporttest.RoundTrip(t, NewRules(index.Rules()),
		func(w io.Writer, d *Rules) error { return WriteRules(w, s, d) },
		func(w io.Writer, d *Rules) error { return WriteRuleList(w, s, d) })
}
