package findings

import (
	"io"
	"testing"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/find/rules/index"
	"github.com/whet-go/whet/internal/find/documents"
	"github.com/whet-go/whet/internal/report/blocks"
	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/internal/report/reporttest"
)

// TestRoundTrip checks that documents that were read back have the same views.
func TestRoundTrip(t *testing.T) {
	s := layout.Style{Width: 80}
	reporttest.RoundTrip(t, findResult(),
		views(s, Find, func(w io.Writer, r *find.Result) error { return WriteFindSARIF(w, r, nil, "v1") })...)
	reporttest.RoundTrip(t, fixResult(), views(s, Fix)...)
	reporttest.RoundTrip(t, pgoResult(), views(s, PGO)...)
	reporttest.RoundTrip(t, documents.NewRules(index.Rules()),
		func(w io.Writer, d *documents.Rules) error { return WriteRules(w, s, d) },
		func(w io.Writer, d *documents.Rules) error { return WriteRuleList(w, s, d) })
}

// views returns the writers of a result that is described in blocks, and more.
func views[R any](s layout.Style, describe func(R) *blocks.Document, more ...func(io.Writer, R) error,
) []func(io.Writer, R) error {
	return append(more,
		func(w io.Writer, r R) error { return describe(r).Write(w, s) },
		func(w io.Writer, r R) error { return describe(r).WriteMarkdown(w) },
		func(w io.Writer, r R) error { return describe(r).WritePage(w) })
}
