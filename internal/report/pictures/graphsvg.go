package pictures

import (
	"bytes"
	"context"
	_ "embed" // for graph.js
	"errors"
	"fmt"
	"io"

	"github.com/whet-go/whet/internal/input/documents"
)

// graphJS lets a reader navigate the drawing.
//
//go:embed graph.js
var graphJS string

// A GraphDrawer lays out DOT text as SVG; *graphviz.Renderer is one.
type GraphDrawer interface {
	SVG(ctx context.Context, dot []byte) ([]byte, error)
}

// WriteGraphSVG writes a call graph as an SVG document. A browser can drag and zoom it and show the
// callers and callees of a box; it has no external references.
func WriteGraphSVG(ctx context.Context, w io.Writer, draw GraphDrawer, d documents.CallGraph) error {
	return writeGraphSVG(ctx, w, draw, d, false)
}

// WriteGraphScreen is like WriteGraphSVG, for a page that shows as many boxes as can be read on one screen: it has no
// legend, and the cost of a call is only in its tooltip.
func WriteGraphScreen(ctx context.Context, w io.Writer, draw GraphDrawer, d documents.CallGraph) error {
	return writeGraphSVG(ctx, w, draw, d, true)
}

func writeGraphSVG(ctx context.Context, w io.Writer, draw GraphDrawer, d documents.CallGraph, dense bool) error {
	var dot bytes.Buffer
	if err := writeGraphDOT(&dot, d, dense); err != nil {
		return err
	}
	svg, err := draw.SVG(ctx, dot.Bytes())
	if err != nil {
		return fmt.Errorf("draw graph of %d nodes and %d edges: %w", len(d.Nodes), len(d.Edges), err)
	}
	// Without the reference to a DTD on a server: it is useless, and some XML readers would fetch
	// it.
	if head, rest, ok := bytes.Cut(svg, []byte("<!DOCTYPE")); ok && !bytes.Contains(head, []byte("<svg")) {
		if _, rest, ok = bytes.Cut(rest, []byte(">\n")); ok {
			svg = append(bytes.Clone(head), rest...)
		}
	}
	// The text is measured in one font and shown in any of several.
	svg = bytes.ReplaceAll(svg, []byte(`font-family="`+graphFont+`"`),
		[]byte(`font-family="`+graphFont+`,Verdana,Helvetica,Arial,sans-serif"`))
	end := bytes.LastIndex(svg, []byte("</svg>"))
	if end < 0 {
		return errors.New("draw graph: Graphviz gave no SVG document")
	}
	for _, part := range [][]byte{svg[:end], []byte("<script><![CDATA[\n" + graphJS + "]]></script>\n"), svg[end:]} {
		if _, err := w.Write(part); err != nil {
			return fmt.Errorf("write graph: %w", err)
		}
	}
	return nil
}
