package pictures

import (
	"bytes"
	"context"
	_ "embed" // for graph.js
	"errors"
	"fmt"
	"io"
)

// graphJS lets a reader move about in the drawing.
//
//go:embed graph.js
var graphJS string

// GraphDrawer lays out DOT text as SVG; *graphviz.Renderer is one.
type GraphDrawer interface {
	SVG(ctx context.Context, dot []byte) ([]byte, error)
}

// WriteGraphSVG writes a call graph as an SVG document. Opened in a browser it can
// be dragged, zoomed and asked for the callers and callees of a box; it refers to
// nothing outside itself.
func WriteGraphSVG(ctx context.Context, w io.Writer, draw GraphDrawer, d CallGraph) error {
	var dot bytes.Buffer
	if err := WriteGraphDOT(&dot, d); err != nil {
		return err
	}
	svg, err := draw.SVG(ctx, dot.Bytes())
	if err != nil {
		return fmt.Errorf("draw graph of %d nodes and %d edges: %w", len(d.Nodes), len(d.Edges), err)
	}
	// Without the reference to a DTD on a server: it is of no use and makes some
	// XML readers ask for it.
	if head, rest, ok := bytes.Cut(svg, []byte("<!DOCTYPE")); ok && !bytes.Contains(head, []byte("<svg")) {
		if _, rest, ok = bytes.Cut(rest, []byte(">\n")); ok {
			svg = append(bytes.Clone(head), rest...)
		}
	}
	// The font is measured by one name and asked for by several.
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
