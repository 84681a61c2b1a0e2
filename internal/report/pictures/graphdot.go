package pictures

import (
	"bytes"
	"cmp"
	"fmt"
	"html"
	"io"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/whet-go/whet/internal/input/documents"
	"github.com/whet-go/whet/internal/profile/flame"
	"github.com/whet-go/whet/internal/profile/nodes"
	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/internal/report/profiles"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/unit"
)

// graphColumns limits the width of names in boxes.
const graphColumns = 44

// graphFont is the font by which Graphviz measures text: the widest of the common sans-serif fonts,
// so that the text fits its box in any font of a browser.
const graphFont = "DejaVu Sans"

// A color is in sRGB, which is good enough for mixing with white.
type color struct{ r, g, b uint8 }

// graphKind returns the color and name of a kind, as on the flame graph's page in light mode.
func graphKind(k flame.Kind) (color, string) {
	switch k {
	case flame.Own:
		return color{0xff, 0xa4, 0x57}, "own code"
	case flame.Std:
		return color{0xcb, 0xdb, 0xec}, "standard library"
	case flame.Dependency:
		return color{0xa5, 0xe4, 0xc8}, "dependencies"
	default:
		return color{0xd7, 0xd5, 0xcf}, "other"
	}
}

// graphChange returns the color and name of growth or shrinkage.
func graphChange(value int64) (color, string) {
	if value > 0 {
		return color{0xe2, 0x5c, 0x4f}, "more than the base"
	}
	return color{0x4f, 0x8d, 0xdd}, "less than the base"
}

// mix returns c mixed with white: c at 1, white at 0.
func (c color) mix(part float64) color {
	part = min(max(part, 0), 1)
	channel := func(v uint8) uint8 { return uint8(math.Round(255 - part*(255-float64(v)))) }
	return color{channel(c.r), channel(c.g), channel(c.b)}
}

// dark returns c with its channels halved: the border of a box.
func (c color) dark() color { return color{c.r / 2, c.g / 2, c.b / 2} }

func (c color) String() string { return fmt.Sprintf("#%02x%02x%02x", c.r, c.g, c.b) }

// WriteGraphDOT writes a call graph in the DOT language. The size of a box's text shows its own
// cost and the strength of its color the cost with calls; the hue shows the origin of the code or,
// in a difference, growth. Names, which may have any bytes, are cleaned and quoted.
func WriteGraphDOT(w io.Writer, doc documents.CallGraph) error { return writeGraphDOT(w, doc, false) }

// writeGraphDOT writes a call graph. If dense, it is for a page that has the legend in its own controls: boxes are as
// small as can be read, and the cost of a call is only in its tooltip.
func writeGraphDOT(w io.Writer, doc documents.CallGraph, dense bool) error {
	var b bytes.Buffer
	values := layout.Each(doc.Nodes, func(n *documents.GraphNode) int64 { return cmp.Or(n.Flat, n.Cum) })
	d := drawing{doc, profiles.Scale(&doc.Header, doc.Header.Total, values), dense}
	diff := len(d.Header.Base) > 0
	fmt.Fprintf(&b, "digraph %s {\n", quoteDOT(graphTitle(d.CallGraph)))
	space, box, edge := "nodesep=0.2 ranksep=0.35", "margin=\"0.12,0.06\" height=0.2",
		"fontsize=10 fontcolor=\"#555555\" arrowsize=0.7"
	if dense {
		space, box = "nodesep=0.1 ranksep=0.24", "margin=\"0.05,0.03\" height=0.2 width=0.2"
		edge = "arrowsize=0.5"
	}
	fmt.Fprintf(&b, "graph [fontname=\"%s\" %s tooltip=\" \"]\n", graphFont, space)
	fmt.Fprintf(&b, "node [fontname=\"%s\" shape=box style=filled %s]\n", graphFont, box)
	fmt.Fprintf(&b, "edge [fontname=\"%s\" %s]\n", graphFont, edge)
	if !dense {
		fmt.Fprintf(&b, "legend [shape=plain fillcolor=white label=<%s> tooltip=\" \"]\n", d.legend(diff))
	}

	heaviest := int64(0)
	for _, n := range d.Nodes {
		heaviest = max(heaviest, n.Flat, -n.Flat)
	}
	for i, n := range d.Nodes {
		d.writeNode(&b, i, n, heaviest, diff)
	}
	for _, e := range d.Edges {
		d.writeEdge(&b, e, diff)
	}
	b.WriteString("}\n")
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("write graph: %w", err)
	}
	return nil
}

// A drawing is a call graph with the unit of all values in text.
type drawing struct {
	documents.CallGraph
	unit  string
	dense bool
}

// graphTitle returns the drawing's title.
func graphTitle(d documents.CallGraph) string {
	return strings.TrimSuffix(d.Header.Name+" "+d.Header.Profile, " ")
}

func (d drawing) format(v int64) string { return unit.Of(v, d.Header.SampleType.Unit).In(d.unit) }

func (d drawing) writeNode(b *bytes.Buffer, i int, n documents.GraphNode, heaviest int64, diff bool) {
	lines := boxLines(n.From, d.Granularity)
	if all := layout.ShortPercent(n.Cum, d.Header.Total); d.dense && n.Flat != 0 && n.Cum != n.Flat {
		lines.If(true, "%s of %s (%s)", d.format(n.Flat), d.format(n.Cum), all)
	} else {
		lines.If(n.Flat != 0, "self %s (%s)", d.format(n.Flat), layout.ShortPercent(n.Flat, d.Header.Total))
		lines.If(n.Cum != n.Flat || n.Flat == 0, "all %s (%s)", d.format(n.Cum), all)
	}
	for i := range lines {
		lines[i] = escapeDOT(lines[i])
	}
	// With the root, areas are proportional to costs, not heights.
	size, more := 9.0, 15.0
	if d.dense {
		more = 5
	}
	if heaviest > 0 {
		size += math.Round(more * math.Sqrt(math.Abs(float64(n.Flat))/float64(heaviest)))
	}
	strength := math.Sqrt(math.Abs(n.CumPart))
	hue, _ := graphKind(n.Kind)
	fill, border, style := hue.mix(0.3+0.7*strength), hue.dark(), ""
	if diff {
		hue, _ = graphChange(n.Cum)
		fill, border = hue.mix(strength), color{0x99, 0x99, 0x99}
	}
	if n.Kind == flame.Own {
		style = " penwidth=2 style=\"filled,bold\""
	}
	fmt.Fprintf(b, "N%d [id=\"node%d\" label=\"%s\" fontsize=%g fillcolor=\"%s\" color=\"%s\"%s tooltip=%s]\n",
		i+1, i+1, strings.Join(lines, `\n`), size, fill, border, style,
		quoteDOT(fmt.Sprintf("%s\u2002self %s, with what it calls %s", nodePlace(n), d.format(n.Flat), d.format(n.Cum))))
}

// nodePlace returns a node's full name with its file and line.
func nodePlace(n documents.GraphNode) string {
	if n.File == "" || strings.Contains(n.Name, n.File) {
		return n.Name
	}
	return n.Name + "\u2002" + n.File
}

// boxLines splits a node's name into lines for its box: the package, then the function, without
// directories.
func boxLines(n profile.Node, by profile.By) (lines layout.Facts) {
	lines.If(n.Address != 0, "%#x", n.Address)
	switch {
	case n.Name == "" || by == profile.ByFile:
		if len(lines) > 0 && n.Object != "" {
			return append(lines, "["+layout.FitPath(path.Base(n.Object), graphColumns)+"]")
		}
		return append(lines, layout.FitPath(nodes.Name(profile.Node{File: n.File, Line: n.Line, Object: n.Object}, by),
			graphColumns))
	case by == profile.ByPackage || by == profile.ByModule:
		return append(lines, layout.FitPath(n.Name, graphColumns))
	}
	name := layout.ShortName(n.Name)
	if pkg, fn, ok := strings.Cut(name, "."); ok && !strings.ContainsAny(pkg, "([<: ") && fn != "" {
		lines = append(lines, layout.FitPath(pkg, graphColumns), layout.FitName(fn, graphColumns))
	} else {
		lines = append(lines, layout.FitName(name, graphColumns))
	}
	if n.Line != 0 {
		lines = append(lines, layout.FitPath(fmt.Sprintf("%s:%d", path.Base(n.File), n.Line), graphColumns))
	}
	return lines
}

func (d drawing) writeEdge(b *bytes.Buffer, e documents.GraphEdge, diff bool) {
	from, to := d.Nodes[e.From], d.Nodes[e.To]
	label := " " + d.format(e.Weight)
	if e.Inlined {
		label += `\n inlined`
	}
	part := min(math.Abs(e.Share), 1)
	line := color{0x22, 0x22, 0x22}.mix(0.45 + 0.55*math.Sqrt(part))
	if diff {
		hue, _ := graphChange(e.Weight)
		line = hue.mix(0.4 + 0.6*math.Sqrt(part))
	}
	verb, style := "calls", ""
	if e.Residual {
		verb, style = "leads to", " style=dashed"
	}
	tip := quoteDOT(fmt.Sprintf("%s\u2002%s %s\u2002%s (%s)", from.Name, verb, to.Name, d.format(e.Weight),
		layout.ShortPercent(e.Weight, d.Header.Total)))
	if d.dense {
		label = "" // which would take most of the space; the tooltip has it
	}
	fmt.Fprintf(b, "N%d -> N%d [label=\"%s\" weight=%d penwidth=%.1f color=\"%s\"%s tooltip=%s labeltooltip=%s]\n",
		e.From+1, e.To+1, label, 1+int(part*100), 1+5*part, line, style, tip, tip)
}

// legend is the title box: an HTML-like label.
func (d drawing) legend(diff bool) string {
	h := d.Header
	var b strings.Builder
	b.WriteString(`<table border="0" cellborder="0" cellspacing="1" cellpadding="1">`)
	row := func(size int, text string) {
		fmt.Fprintf(&b, `<tr><td align="left" colspan="2"><font point-size="%d">%s</font></td></tr>`, size,
			escapeHTMLLabel(text))
	}
	row(18, layout.FitPath(graphTitle(d.CallGraph), 60))
	row(12, fmt.Sprintf("%s: %s", h.SampleType.Type, d.format(h.Total)))
	for _, fact := range profiles.FlameFacts(h) {
		row(12, layout.Cut(layout.Clean(fact.Name+": "+fact.Value), 80))
	}
	row(12, fmt.Sprintf("boxes have %s (%s)", d.format(d.Shown), layout.ShortPercent(d.Shown, h.Total)))
	if d.HiddenNodes > 0 {
		row(12, fmt.Sprintf("%d of %d %s are left out", d.HiddenNodes, d.HiddenNodes+len(d.Nodes),
			profiles.Nouns(d.Granularity.String())))
	}
	swatch := func(c color, name string) {
		fmt.Fprintf(&b,
			`<tr><td border="1" color="#999999" bgcolor="%s" width="18" height="12" fixedsize="true"></td>`+
				`<td align="left"><font point-size="12"> %s</font></td></tr>`,
			c, escapeHTMLLabel(name))
	}
	if diff {
		swatch(graphChange(1))
		swatch(graphChange(-1))
	} else if d.has(flame.Own) || d.has(flame.Std) || d.has(flame.Dependency) {
		for _, k := range []flame.Kind{flame.Own, flame.Std, flame.Dependency, flame.Unknown} {
			if d.has(k) {
				swatch(graphKind(k))
			}
		}
	}
	b.WriteString("</table>")
	return b.String()
}

// has reports whether there is a node of a kind.
func (d drawing) has(k flame.Kind) bool {
	return slices.ContainsFunc(d.Nodes, func(n documents.GraphNode) bool { return n.Kind == k })
}

// escapeDOT makes text literal within a "quoted" label, where Graphviz interprets backslashes (\N,
// \l) and entities (&lt;).
func escapeDOT(s string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, `&`, `&amp;`).Replace(layout.Clean(s))
}

// quoteDOT returns text as a quoted string, cut at 1000 columns.
func quoteDOT(s string) string { return `"` + escapeDOT(layout.Cut(s, 1000)) + `"` }

// escapeHTMLLabel is escapeDOT for an HTML-like label, where XML's rules apply.
func escapeHTMLLabel(s string) string { return html.EscapeString(layout.Clean(s)) }
