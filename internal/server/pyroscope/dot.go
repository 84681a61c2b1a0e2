package pyroscope

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/whet-go/whet/internal/input/documents"
	"github.com/whet-go/whet/internal/profile/flame"
	"github.com/whet-go/whet/internal/report/pictures"
	"github.com/whet-go/whet/internal/server/pyroscope/wire"
	"github.com/whet-go/whet/profile"
)

// defaultBoxes is the number of functions in a call graph, unless a request has a limit.
const defaultBoxes = 100

// dot returns the call graph of a profile in the language of Graphviz, as `whet graph --format dot` writes it.
func (m *merged) dot(name string, limit wire.Int) (string, error) {
	n, err := nodeLimit(limit)
	if err != nil {
		return "", err
	}
	if limit <= 0 {
		n = defaultBoxes
	}
	p, err := m.single()
	if err != nil {
		return "", err
	}
	v, err := p.View(profile.Query{By: profile.ByFunction})
	if err != nil {
		return "", err
	}
	kind := flame.Frames(p, profile.ByFunction, nil)
	h := documents.Header{
		Name: name, SampleType: p.SampleTypes[0], Total: v.Total(), Stacks: p.NumSamples(), Duration: p.Duration,
		Time: p.Time,
	}
	var b strings.Builder
	err = pictures.WriteGraphDOT(&b, documents.NewCallGraph(h, v, documents.GraphOptions{
		Nodes: n, NodeFraction: documents.GraphNodeFraction, EdgeFraction: documents.GraphEdgeFraction,
		Kind: func(n profile.Node) flame.Kind { return kind(n).Kind },
	}))
	return b.String(), err
}

// renderDOT answers /pyroscope/render?format=dot with the call graph.
func (h *Handler) renderDOT(ctx context.Context, w http.ResponseWriter, q url.Values) error {
	r, err := selector(q, "query", "from", "until")
	if err != nil {
		return err
	}
	r.Format = wire.FormatDot
	res, err := h.selectMergeStacktraces(ctx, r)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = io.WriteString(w, res.Dot) // the client may be gone
	return nil
}
