package profiles

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode"

	pprof "github.com/google/pprof/profile"

	"github.com/whet-go/whet/internal/input/documents"
	"github.com/whet-go/whet/internal/profile/nodes"
	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/profile"
)

// hostileView is a profile whose names are long, deep and full of escapes.
func hostileView(t *testing.T, by profile.By) (*profile.View, documents.Header) {
	t.Helper()
	p := &pprof.Profile{
		SampleType: []*pprof.ValueType{{Type: "samples", Unit: "count"}, {Type: "cpu", Unit: "nanoseconds"}},
		Mapping:    []*pprof.Mapping{{ID: 1, File: "/bin/" + strings.Repeat("prog", 30), HasFunctions: true}},
	}
	long := strings.Repeat("github.com/a-very-long-organization-name/", 3)
	for i := range 12 {
		s := &pprof.Sample{
			Value:    []int64{int64(i + 1), int64(i+1) * 123_456_789},
			Label:    map[string][]string{"request\x1b[2J": {strings.Repeat("value ", 40)}},
			NumLabel: map[string][]int64{"bytes": {int64(i) << 20}},
		}
		for depth := range 40 + i {
			n := depth
			if depth < 6 {
				n = 100*i + depth
			}
			fn := &pprof.Function{
				ID: uint64(len(p.Function) + 1), Name: fmt.Sprintf("%spkg%d.(*Type).Method%d[go.shape.struct {}]\x1b]0;x\a", long,
					n%7, n),
				Filename: fmt.Sprintf("/home/dev/%s/pkg%d/file%d.go", long, n%7, n),
			}
			l := &pprof.Location{
				ID: fn.ID, Mapping: p.Mapping[0], Address: fn.ID,
				Line: []pprof.Line{{Function: fn, Line: int64(n * 1000)}},
			}
			p.Function, p.Location = append(p.Function, fn), append(p.Location, l)
			s.Location = append(s.Location, l)
		}
		p.Sample = append(p.Sample, s)
	}
	var buf bytes.Buffer
	if err := p.Write(&buf); err != nil {
		t.Fatal(err)
	}
	wp, err := profile.Parse(buf.Bytes(), profile.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	v, err := wp.View(profile.Query{Type: 1, By: by})
	if err != nil {
		t.Fatal(err)
	}
	return v, documents.Header{
		Name: strings.Repeat("a/very/long/path/", 12) + "cpu.pb.gz\x1b[31m", SampleType: v.Type(), Total: v.Total(),
		Samples: 78, Stacks: 12,
		Program: strings.Repeat("prog", 30), Target: "http://" + strings.Repeat("host", 20), Own: []string{long},
		OwnFrom: "a test",
		Filters: []string{"--focus " + strings.Repeat("x", 200)}, Base: []string{strings.Repeat("before", 20)},
	}
}

var ansi = regexp.MustCompile("\x1b\\[[0-9;]*m")

// TestNothingWraps renders every view of a hostile profile at many widths: no
// line may be wider, no foreign escape may come through, color only adds codes.
func TestNothingWraps(t *testing.T) {
	for _, by := range []profile.By{
		profile.ByFunction, profile.ByLine, profile.ByFile, profile.ByPackage,
		profile.ByAddress,
	} {
		v, h := hostileView(t, by)
		own := v.Own(func(f profile.Function) bool { return strings.Contains(f.Name, "pkg3") })
		all := regexp.MustCompile("Method10?[0-9]|pkg|file|^0")
		for name, write := range map[string]func(w *bytes.Buffer, s layout.Style) error{
			"own": func(w *bytes.Buffer, s layout.Style) error {
				return WriteTop(w, s, documents.NewOwn(h, own, nil, 10, "/home/dev"))
			},
			"top": func(w *bytes.Buffer, s layout.Style) error {
				return WriteTop(w, s, documents.NewTop(h, v, 10, false, ""))
			},
			"tree": func(w *bytes.Buffer, s layout.Style) error {
				return WriteTree(w, s, documents.NewTree(h, v, 0, false), 0)
			},
			"bottomup": func(w *bytes.Buffer, s layout.Style) error {
				return WriteTree(w, s, documents.NewTree(h, v, 50, true), 0.01)
			},
			"peek": func(w *bytes.Buffer, s layout.Style) error {
				return WritePeek(w, s, documents.NewPeek(h, v, all, 5, true))
			},
			"traces": func(w *bytes.Buffer, s layout.Style) error { return WriteTraces(w, s, documents.NewTraces(h, v, 3)) },
			"tags":   func(w *bytes.Buffer, s layout.Style) error { return WriteTags(w, s, documents.NewTags(h, v, 5)) },
		} {
			for _, width := range []int{60, 80, 97, 131, 200} {
				var plain, colored bytes.Buffer
				if err := write(&plain, layout.Style{Width: width}); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if err := write(&colored, layout.Style{Width: width, Color: true}); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				for line := range strings.Lines(plain.String()) {
					line = strings.TrimSuffix(line, "\n")
					if n := layout.Columns(line); n > width {
						t.Fatalf("%s by %v at %d columns: a line of %d:\n%s", name, by, width, n, line)
					}
					if strings.ContainsFunc(line, unicode.IsControl) {
						t.Fatalf("%s by %v: control characters in %q", name, by, line)
					}
				}
				if got := trimLines(ansi.ReplaceAllString(colored.String(), "")); got != plain.String() {
					t.Fatalf("%s by %v at %d columns: color changes the text:\n%s\nwithout:\n%s", name, by, width, got,
						plain.String())
				}
			}
		}
	}
}

func trimLines(s string) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		b.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	return b.String()
}

// TestOwnSums checks the contract of NewOwn: own code, the rest and what the filters leave out add up to
// the total, and shares are those of the values.
func TestOwnSums(t *testing.T) {
	v, h := hostileView(t, profile.ByFunction)
	q := v.Query()
	q.Focus = regexp.MustCompile("Method(300|501)")
	v, err := v.Profile().View(q)
	if err != nil {
		t.Fatal(err)
	}
	h.Total, h.Base = v.Total(), nil
	for _, pattern := range []string{"pkg3", "Method1[0-9]", "nothing"} {
		re := regexp.MustCompile(pattern)
		o := documents.NewOwn(h, v.Own(func(f profile.Function) bool { return re.MatchString(f.Name) }), nil, 2, "").Own
		rest := int64(0)
		for _, r := range o.Rest {
			rest += r.Cost
		}
		if rest != o.RestCost {
			t.Errorf("%s: rows of the rest sum to %d, want %d", pattern, rest, o.RestCost)
		}
		if sum := o.Cost + o.RestCost + o.Filtered; sum != h.Total {
			t.Errorf("%s: own %d + rest %d + filtered %d = %d, want %d", pattern, o.Cost, o.RestCost, o.Filtered, sum, h.Total)
		}
		for _, l := range o.Lines {
			sum := l.Self
			for _, c := range l.Callees {
				sum += c.Cost
			}
			if sum != l.Cost {
				t.Errorf("%s: %s:%d: self and callees sum to %d, want %d", pattern, l.File, l.Line, sum, l.Cost)
			}
		}
	}
}

func TestCountNoun(t *testing.T) {
	for _, tt := range []struct {
		typ, unit string
		n         int64
		want      string
	}{
		{"goroutine", "count", 12, " goroutines"},
		{"goroutine", "count", 1, " goroutine"},
		{"threadcreate", "count", 2, " threads"},
		{"alloc_objects", "count", 5, " alloc objects"},
		{"samples", "count", 1, " sample"},
		{"cpu", "nanoseconds", 5, ""},
	} {
		if got := countNoun(profile.ValueType{Type: tt.typ, Unit: tt.unit}, tt.n); got != tt.want {
			t.Errorf("countNoun(%s, %d) = %q, want %q", tt.typ, tt.n, got, tt.want)
		}
	}
}

func FuzzFitNode(f *testing.F) {
	for _, s := range []string{
		"net/http.(*conn).serve", "a/b/v2.F[go.shape.int]", "", "\xff\x1b[0m", "…/…/…",
		"é/ü/日本.語",
	} {
		for _, n := range []int{0, 1, 7, 80} {
			f.Add(s, n)
		}
	}
	f.Fuzz(func(t *testing.T, s string, n int) {
		n = max(n&0xff, 1)
		name := nodes.Name(profile.Node{Name: s, File: s, Line: 3}, profile.ByFunction)
		got := FitNode(name, profile.ByFunction.String(), n)
		if layout.Columns(got) > n || strings.ContainsFunc(got, unicode.IsControl) {
			t.Errorf("FitNode(%q, %d) = %q", s, n, got)
		}
	})
}
