package pictures

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	pprof "github.com/google/pprof/profile"

	"github.com/whet-go/whet/internal/graphviz"
	"github.com/whet-go/whet/internal/input/documents"
	"github.com/whet-go/whet/internal/profile/flame"
	"github.com/whet-go/whet/internal/profile/oracletest"
	"github.com/whet-go/whet/internal/report"
	"github.com/whet-go/whet/profile"
)

var (
	dotNode = regexp.MustCompile(`^N(\d+) \[label="(.*?)" id="node\d+".* tooltip="(.*?) \((\d+)[a-z]*\)"`)
	dotFlat = regexp.MustCompile(`\\n(\d+)[a-z]* \(`)
	dotEdge = regexp.MustCompile(`^N(\d+) -> N(\d+) \[label=" (\d+)[a-z]*(\\n \(inline\))?".* tooltip=`)
)

type graphNumbers struct {
	Nodes map[string][2]int64 // flat and cum by name
	Edges map[string]string   // weight and marks by ends
}

// pprofGraph is what go tool pprof draws of a file.
func pprofGraph(t *testing.T, file, unit string, args ...string) graphNumbers {
	t.Helper()
	args = append([]string{"tool", "pprof", "-dot", "-unit", unit, "-symbolize=none"}, args...)
	out, err := exec.CommandContext(t.Context(), "go", append(args, file)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	g := graphNumbers{map[string][2]int64{}, map[string]string{}}
	names := map[string]string{}
	number := func(s string) int64 {
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	for line := range strings.Lines(string(out)) {
		if m := dotNode.FindStringSubmatch(line); m != nil {
			flat := int64(0)
			if f := dotFlat.FindStringSubmatch(m[2]); f != nil {
				flat = number(f[1])
			}
			names[m[1]] = m[3]
			g.Nodes[m[3]] = [2]int64{flat, number(m[4])}
		} else if m := dotEdge.FindStringSubmatch(line); m != nil {
			g.Edges[names[m[1]]+" -> "+names[m[2]]] = fmt.Sprint(m[3], " inlined=", m[4] != "", " residual=",
				strings.Contains(line, `style="dotted"`))
		}
	}
	if len(g.Nodes) == 0 {
		t.Fatalf("no nodes in what pprof wrote:\n%.2000s", out)
	}
	return g
}

func numbersOf(d documents.CallGraph) graphNumbers {
	g := graphNumbers{map[string][2]int64{}, map[string]string{}}
	for _, n := range d.Nodes {
		g.Nodes[n.Name] = [2]int64{n.Flat, n.Cum}
	}
	for _, e := range d.Edges {
		g.Edges[d.Nodes[e.From].Name+" -> "+d.Nodes[e.To].Name] = fmt.Sprint(e.Weight, " inlined=", e.Inlined, " residual=",
			e.Residual)
	}
	return g
}

// pprofOptions draw what pprof draws without options.
func pprofOptions() documents.GraphOptions {
	return documents.GraphOptions{
		Nodes: documents.GraphNodes, NodeFraction: documents.GraphNodeFraction, EdgeFraction: documents.GraphEdgeFraction,
	}
}

func TestGraphAgainstPprof(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command")
	}
	file := oracletest.CompilerProfile(t)
	p, err := profile.ReadFile(file, profile.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	typ, err := p.TypeIndex("cpu")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		query profile.Query
		opt   func(*documents.GraphOptions)
		args  []string
	}{
		"plain": {},
		"few":   {opt: func(o *documents.GraphOptions) { o.Nodes = 12 }, args: []string{"-nodecount=12"}},
		"lines": {query: profile.Query{By: profile.ByLine}, args: []string{"-lines"}},
		"focused": {
			query: profile.Query{Focus: regexp.MustCompile("mallocgc"), Ignore: regexp.MustCompile("ssa")},
			args:  []string{"-focus=mallocgc", "-ignore=ssa"},
		},
		"all": {
			query: profile.Query{Focus: regexp.MustCompile("gcDrain")},
			opt:   func(o *documents.GraphOptions) { *o = documents.GraphOptions{} },
			args:  []string{"-focus=gcDrain", "-nodecount=100000", "-nodefraction=0", "-edgefraction=0"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.query.Type = typ
			v, err := p.View(c.query)
			if err != nil {
				t.Fatal(err)
			}
			opt := pprofOptions()
			if c.opt != nil {
				c.opt(&opt)
			}
			got := numbersOf(documents.NewCallGraph(documents.Header{SampleType: v.Type(), Total: v.Total()}, v, opt))
			want := pprofGraph(t, file, "nanoseconds", c.args...)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("graph differs from pprof's (-pprof +whet):\n%s", diff)
			}
		})
	}
}

// hostile is a profile whose names try to be something else.
func hostile(t *testing.T) *profile.Profile {
	t.Helper()
	names := []string{
		`main.quote"] evil [label="`, `main.back\N\l\`, `main.<script>alert(1)</script>`, "main.entity&lt;&amp;&#60;",
		"main.control\x00\x1b[31m\n", "main.not\xffutf8\xc3", "main.\u202eright", `]]></script><script>alert(2)`, "",
		strings.Repeat("main.long", 1000), "net/http.(*conn).serve", "main.Generic[go.shape.struct { X int }]",
	}
	src := &pprof.Profile{
		SampleType: []*pprof.ValueType{{Type: "cpu", Unit: "nanoseconds"}},
		PeriodType: &pprof.ValueType{},
	}
	m := &pprof.Mapping{ID: 1, Start: 1, Limit: 1 << 20, File: `/bin/a"b`, HasFunctions: true}
	src.Mapping = []*pprof.Mapping{m}
	var stack []*pprof.Location
	for i, name := range names {
		fn := &pprof.Function{ID: uint64(i + 1), Name: name, SystemName: name, Filename: `C:\x\n"y".go`}
		loc := &pprof.Location{
			ID: uint64(i + 1), Address: uint64(i + 1), Mapping: m,
			Line: []pprof.Line{{Function: fn, Line: int64(i)}},
		}
		src.Function, src.Location = append(src.Function, fn), append(src.Location, loc)
		stack = append([]*pprof.Location{loc}, stack...)
		src.Sample = append(src.Sample, &pprof.Sample{Location: stack, Value: []int64{int64(i+1) * 1e6}})
	}
	var b bytes.Buffer
	if err := src.Write(&b); err != nil {
		t.Fatal(err)
	}
	p, err := profile.Parse(b.Bytes(), profile.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestGraphOfHostileNames(t *testing.T) {
	t.Parallel()
	p := hostile(t)
	draw := graphviz.New(t.Context())
	t.Cleanup(func() { _ = draw.Close() })
	for _, by := range []profile.By{
		profile.ByFunction, profile.ByLine, profile.ByFile, profile.ByPackage,
		profile.ByModule, profile.ByAddress,
	} {
		t.Run(by.String(), func(t *testing.T) {
			v, err := p.View(profile.Query{By: by})
			if err != nil {
				t.Fatal(err)
			}
			h := documents.Header{
				Name: `<b>"a\` + "\xff", SampleType: v.Type(), Total: v.Total(),
				Filters: []string{`--focus </table>"`},
			}
			kind := func(n profile.Node) flame.Kind { return flame.Kind(len(n.Name) % 4) }
			d := documents.NewCallGraph(h, v, documents.GraphOptions{Kind: kind})
			var svg bytes.Buffer
			if err := WriteGraphSVG(t.Context(), &svg, draw, d); err != nil {
				t.Fatal(err)
			}
			nodes, scripts, text := inspectSVG(t, svg.Bytes())
			if nodes != len(d.Nodes)+1 { // and the legend
				t.Errorf("drawing has %d boxes, want %d and a legend", nodes, len(d.Nodes))
			}
			if len(scripts) != 1 || strings.TrimSpace(scripts[0]) != strings.TrimSpace(graphJS) {
				t.Errorf("drawing has scripts %.100q, want the one of whet", scripts)
			}
			if by != profile.ByFunction {
				return
			}
			for _, want := range []string{`quote"] evil [label="`, `back\N\l\`, `entity&lt;&amp;&#60;`, `(*conn).serve`} {
				if !slices.ContainsFunc(text, func(s string) bool { return strings.ReplaceAll(s, "\u00a0", " ") == want }) {
					t.Errorf("no text %q in %q", want, text)
				}
			}
		})
	}
}

// inspectSVG counts the nodes of a drawing and returns its scripts and texts. It
// fails on anything in it that could run or load something else.
func inspectSVG(t *testing.T, svg []byte) (nodes int, scripts, texts []string) {
	t.Helper()
	if bytes.Contains(svg, []byte("<!DOCTYPE")) {
		t.Error("drawing names a DTD")
	}
	dec := xml.NewDecoder(bytes.NewReader(svg))
	element := ""
	for {
		tok, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return nodes, scripts, texts
		}
		if err != nil {
			t.Fatalf("drawing is not well-formed: %v", err)
		}
		switch tok := tok.(type) {
		case xml.StartElement:
			element = tok.Name.Local
			for _, a := range tok.Attr {
				if a.Name.Local == "class" && a.Value == "node" {
					nodes++
				}
				if strings.HasPrefix(strings.ToLower(a.Name.Local), "on") || a.Name.Local == "href" {
					t.Errorf("<%s> has attribute %s=%q", element, a.Name.Local, a.Value)
				}
			}
		case xml.CharData:
			switch element {
			case "script":
				if len(bytes.TrimSpace(tok)) > 0 {
					scripts = append(scripts, string(tok))
				}
			case "text":
				texts = append(texts, string(tok))
			}
		case xml.EndElement:
			element = ""
		}
	}
}

func TestGraphOfDifference(t *testing.T) {
	t.Parallel()
	p := hostile(t)
	diff, err := profile.DiffBase(p, p, false)
	if err != nil {
		t.Fatal(err)
	}
	v, err := diff.View(profile.Query{})
	if err != nil {
		t.Fatal(err)
	}
	h := documents.Header{SampleType: v.Type(), Total: v.Total(), Base: []string{"b"}}
	d := documents.NewCallGraph(h, v, pprofOptions())
	var dot bytes.Buffer
	if err := WriteGraphDOT(&dot, d); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(dot.String(), "less than the base") || strings.Contains(dot.String(), "own code") {
		t.Errorf("legend is not that of a difference:\n%s", dot.String())
	}
}

func TestGraphJSON(t *testing.T) {
	t.Parallel()
	v, err := hostile(t).View(profile.Query{})
	if err != nil {
		t.Fatal(err)
	}
	h := documents.Header{SampleType: v.Type(), Total: v.Total()}
	d := documents.NewCallGraph(h, v, documents.GraphOptions{Nodes: 3})
	var b bytes.Buffer
	if err := report.JSON(&b, d); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Schema string
		Nodes  []struct{ Flat, Cum int64 }
		Edges  []struct{ From, To int }
		Hidden int `json:"hidden_nodes"`
	}
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if got.Schema != documents.GraphSchema || len(got.Nodes) != 3 || got.Hidden != 9 {
		t.Errorf("got schema %q, %d nodes, %d hidden, want %q, 3, 9", got.Schema, len(got.Nodes), got.Hidden,
			documents.GraphSchema)
	}
	for _, e := range got.Edges {
		if e.From >= 3 || e.To >= 3 {
			t.Errorf("edge %v leads to a node that is not there", e)
		}
	}
}

func TestGraphKeepsKinds(t *testing.T) {
	t.Parallel()
	v, err := hostile(t).View(profile.Query{})
	if err != nil {
		t.Fatal(err)
	}
	kind := func(n profile.Node) flame.Kind {
		if strings.HasPrefix(n.Name, "net/") {
			return flame.Std
		}
		return flame.Own
	}
	h := documents.Header{SampleType: v.Type(), Total: v.Total()}
	d := documents.NewCallGraph(h, v, documents.GraphOptions{Kind: kind})
	count := map[string]int{}
	for _, n := range d.Nodes {
		count[n.Kind.String()]++
	}
	if want := map[string]int{"own": 11, "std": 1}; !maps.Equal(count, want) {
		t.Errorf("kinds %v, want %v", count, want)
	}
	var dot bytes.Buffer
	if err := WriteGraphDOT(&dot, d); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(dot.String(), `style="filled,bold"`); n != 11 {
		t.Errorf("%d boxes stand out, want 11", n)
	}
}

// TestGraphScreen compares the area of a drawing for pages with that of the drawing with all costs.
func TestGraphScreen(t *testing.T) {
	t.Parallel()
	draw := graphviz.New(t.Context())
	t.Cleanup(func() { _ = draw.Close() })
	v, err := hostile(t).View(profile.Query{})
	if err != nil {
		t.Fatal(err)
	}
	d := documents.NewCallGraph(documents.Header{Name: "a", SampleType: v.Type(), Total: v.Total()}, v,
		documents.GraphOptions{})
	measure := func(write func(context.Context, io.Writer, GraphDrawer, documents.CallGraph) error) (int, float64) {
		var svg bytes.Buffer
		if err := write(t.Context(), &svg, draw, d); err != nil {
			t.Fatal(err)
		}
		var x, y, width, height float64
		_, box, _ := strings.Cut(svg.String(), `viewBox="`)
		if _, err := fmt.Sscanf(box, "%f %f %f %f", &x, &y, &width, &height); err != nil {
			t.Fatal(err)
		}
		nodes, _, _ := inspectSVG(t, svg.Bytes())
		return nodes, width * height
	}
	all, whole := measure(WriteGraphSVG)
	boxes, dense := measure(WriteGraphScreen)
	if boxes != len(d.Nodes) || all != boxes+1 { // the legend is left out
		t.Errorf("%d boxes for pages and %d otherwise, want %d, and one more with the legend", boxes, all, len(d.Nodes))
	}
	if dense > whole*2/3 {
		t.Errorf("an area of %.0f for pages and of %.0f otherwise: want at most two thirds", dense, whole)
	}
}
