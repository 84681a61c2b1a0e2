package report

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	pprof "github.com/google/pprof/profile"

	"github.com/whet-go/whet/profile"
)

func TestFitName(t *testing.T) {
	const (
		conn    = "net/http.(*conn).serve"
		module  = "example.com/dev/shop/internal/cart.(*Store).Add"
		generic = "slices.SortFunc[go.shape.[]example.com/x/y.T,go.shape.struct { A int }].func1"
	)
	for _, tt := range []struct {
		name string
		n    int
		want string
	}{
		{conn, 30, conn},
		{conn, 20, "…/http.(*conn).serve"},
		{conn, 18, "http.(*conn).serve"},
		{conn, 10, "htt….serve"},
		{module, 40, "…/dev/shop/internal/cart.(*Store).Add"},
		{module, 20, "…/cart.(*Store).Add"},
		{module, 18, "cart.(*Store).Add"},
		{generic, 40, "slices.SortFunc[…].func1"},
		{"std::map<a/b, c>::find(x)", 12, "std…:find(x)"},
		{"evil\x1b[31mname", 20, "evil\ufffd[31mname"},
	} {
		if got := FitName(tt.name, tt.n); got != tt.want {
			t.Errorf("FitName(%q, %d) = %q, want %q", tt.name, tt.n, got, tt.want)
		}
	}
}

func TestShortName(t *testing.T) {
	for name, want := range map[string]string{
		"main.main":                               "main.main",
		"net/http.(*conn).serve":                  "http.(*conn).serve",
		"github.com/a/b/v2.Do":                    "b/v2.Do",
		"gopkg.in/yaml%2ev3.Unmarshal":            "yaml.v3.Unmarshal",
		"slices.Max[go.shape.[]a/b.T]":            "slices.Max[…]",
		"a/b.F[go.shape.int].func1":               "b.F[…].func1",
		"std::vector<a/b>::push_back(int/long)":   "std::vector<a/b>::push_back(int/long)",
		"example.com/x.(*T[go.shape.string]).Run": "x.(*T[…]).Run",
		"": "",
	} {
		if got := ShortName(name); got != want {
			t.Errorf("ShortName(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestFitPath(t *testing.T) {
	for _, tt := range []struct {
		path string
		n    int
		want string
	}{
		{"a/b/c.go", 8, "a/b/c.go"},
		{"/home/dev/leftpad/pad/pad.go", 16, "…/pad/pad.go"},
		{"/home/dev/averyveryverylongname.go", 12, "…/a…gname.go"},
	} {
		got := FitPath(tt.path, tt.n)
		if columns(got) > tt.n {
			t.Errorf("FitPath(%q, %d) = %q is too wide", tt.path, tt.n, got)
		}
		if tt.n > 12 && got != tt.want {
			t.Errorf("FitPath(%q, %d) = %q, want %q", tt.path, tt.n, got, tt.want)
		}
	}
}

func FuzzFit(f *testing.F) {
	for _, s := range []string{
		"net/http.(*conn).serve", "main.main", "a/b/v2.F[go.shape.int]", "", "\xff\x1b[0m", "std::map<a/b>::operator[]", "…/…/…", "é/ü/日本.語", "[go.shape.",
	} {
		for _, n := range []int{0, 1, 2, 7, 80} {
			f.Add(s, n)
		}
	}
	f.Fuzz(func(t *testing.T, s string, n int) {
		n = max(n&0xff, 1)
		for what, got := range map[string]string{
			"FitName": FitName(s, n), "FitPath": FitPath(s, n), "FitNode": FitNode(profile.Node{Name: s, File: s, Line: 3}, profile.ByFunction, n),
		} {
			if columns(got) > n {
				t.Errorf("%s(%q, %d) = %q: %d columns", what, s, n, got, columns(got))
			}
			if strings.ContainsFunc(got, unicode.IsControl) {
				t.Errorf("%s(%q, %d) = %q has control characters", what, s, n, got)
			}
		}
		_ = ShortName(s)
		if c := Clean(s); utf8.ValidString(s) && columns(c) != columns(s) {
			t.Errorf("Clean(%q) = %q changes the width", s, c)
		}
	})
}

// hostileView is a profile whose names are long, deep and full of escapes.
func hostileView(t *testing.T, by profile.By) (*profile.View, Header) {
	t.Helper()
	p := &pprof.Profile{
		SampleType: []*pprof.ValueType{{Type: "samples", Unit: "count"}, {Type: "cpu", Unit: "nanoseconds"}},
		Mapping:    []*pprof.Mapping{{ID: 1, File: "/bin/" + strings.Repeat("prog", 30), HasFunctions: true}},
	}
	long := strings.Repeat("github.com/a-very-long-organisation-name/", 3)
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
				ID: uint64(len(p.Function) + 1), Name: fmt.Sprintf("%spkg%d.(*Type).Method%d[go.shape.struct {}]\x1b]0;x\a", long, n%7, n),
				Filename: fmt.Sprintf("/home/dev/%s/pkg%d/file%d.go", long, n%7, n),
			}
			l := &pprof.Location{ID: fn.ID, Mapping: p.Mapping[0], Address: fn.ID, Line: []pprof.Line{{Function: fn, Line: int64(n * 1000)}}}
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
	return v, Header{
		Name: strings.Repeat("a/very/long/path/", 12) + "cpu.pb.gz\x1b[31m", SampleType: v.Type(), Total: v.Total(), Samples: 78, Stacks: 12,
		Program: strings.Repeat("prog", 30), Target: "http://" + strings.Repeat("host", 20), Own: []string{long}, OwnFrom: "a test",
		Filters: []string{"--focus " + strings.Repeat("x", 200)}, Base: []string{strings.Repeat("before", 20)},
	}
}

var ansi = regexp.MustCompile("\x1b\\[[0-9;]*m")

// TestNothingWraps renders every view of a hostile profile at many widths: no
// line may be wider, no foreign escape may come through, colour only adds codes.
func TestNothingWraps(t *testing.T) {
	for _, by := range []profile.By{profile.ByFunction, profile.ByLine, profile.ByFile, profile.ByPackage, profile.ByAddress} {
		v, h := hostileView(t, by)
		own := v.Own(func(f profile.Function) bool { return strings.Contains(f.Name, "pkg3") })
		all := regexp.MustCompile("Method10?[0-9]|pkg|file|^0")
		for name, write := range map[string]func(w *bytes.Buffer, s Style) error{
			"own":      func(w *bytes.Buffer, s Style) error { return WriteTop(w, s, NewOwn(h, own, nil, 10, "/home/dev")) },
			"top":      func(w *bytes.Buffer, s Style) error { return WriteTop(w, s, NewTop(h, v, 10, false, "")) },
			"tree":     func(w *bytes.Buffer, s Style) error { return WriteTree(w, s, NewTree(h, v, 0, false), 0) },
			"bottomup": func(w *bytes.Buffer, s Style) error { return WriteTree(w, s, NewTree(h, v, 50, true), 0.01) },
			"peek":     func(w *bytes.Buffer, s Style) error { return WritePeek(w, s, NewPeek(h, v, all, 5, true)) },
			"traces":   func(w *bytes.Buffer, s Style) error { return WriteTraces(w, s, NewTraces(h, v, 3)) },
			"tags":     func(w *bytes.Buffer, s Style) error { return WriteTags(w, s, NewTags(h, v, 5)) },
		} {
			for _, width := range []int{60, 80, 97, 131, 200} {
				var plain, coloured bytes.Buffer
				if err := write(&plain, Style{Width: width}); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if err := write(&coloured, Style{Width: width, Color: true}); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				for line := range strings.Lines(plain.String()) {
					line = strings.TrimSuffix(line, "\n")
					if n := columns(line); n > width {
						t.Fatalf("%s by %v at %d columns: a line of %d:\n%s", name, by, width, n, line)
					}
					if strings.ContainsFunc(line, unicode.IsControl) {
						t.Fatalf("%s by %v: control characters in %q", name, by, line)
					}
				}
				if got := trimLines(ansi.ReplaceAllString(coloured.String(), "")); got != plain.String() {
					t.Fatalf("%s by %v at %d columns: colour changes the text:\n%s\nwithout:\n%s", name, by, width, got, plain.String())
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

// TestOwnSums wants what NewOwn promises: own code, the rest and what the filters
// leave out are the total, and shares are those of the values.
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
		o := NewOwn(h, v.Own(func(f profile.Function) bool { return re.MatchString(f.Name) }), nil, 2, "").Own
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

func TestPurpose(t *testing.T) {
	for root, want := range map[string]string{
		"runtime.gcBgMarkWorker":              "garbage collector's own goroutines",
		"runtime.mcall":                       "goroutine scheduling",
		"runtime.nanotime1":                   "runtime",
		"net/http.(*conn).serve":              "HTTP server: connections",
		"net/http.(*persistConn).readLoop":    "HTTP client: connections",
		"net/http/pprof.Profile":              "profiling itself",
		"database/sql.(*DB).connectionOpener": "goroutines of database/sql",
		"":                                    "code without symbols",
		"_start":                              "_start",
	} {
		if got := purpose(root); got != want {
			t.Errorf("purpose(%q) = %q, want %q", root, got, want)
		}
	}
}

// A column with one tiny value keeps numbers that can be read.
func TestColumnsOfVeryDifferentValues(t *testing.T) {
	delay := profile.ValueType{Type: "delay", Unit: "nanoseconds"}
	values := []int64{11_006_949_730_000, 730}
	unitName := scaleFor(delay, values[0], slices.Values(values))
	if got := columnValue(values[0], delay.Unit, unitName); columns(got) > 12 {
		t.Errorf("the largest value is %s", got)
	}
	if got := columnValue(values[1], delay.Unit, unitName); !strings.HasPrefix(got, "<0.01") {
		t.Errorf("the smallest value is %s", got)
	}
}

func TestPprofPercent(t *testing.T) {
	for part, want := range map[int64]string{0: "0%", 1: "<0.001%", 5_000: "0.0005%", -5: "<0.001%", 500_000_000: "50.00%"} {
		if got := pprofPercent(part, 1_000_000_000); got != want {
			t.Errorf("%d of 1e9: %s, want %s", part, got, want)
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

// On a narrow terminal no line of code or heading is broken, and what a call cost is
// still there.
func TestListingsFitNarrowTerminals(t *testing.T) {
	h := Header{SampleType: profile.ValueType{Type: "cpu", Unit: "nanoseconds"}, Total: 1e9}
	style := Style{Width: 80}
	disasm := &Disasm{Header: h, Functions: []DisasmFunction{{
		Name: "main.run", Cum: 1e9, Binary: "/tmp/run",
		Insts: []DisasmInst{{
			Address: 0x6927b8, Text: "CALL encoding/json.(*Encoder).encodeTheWholeThing(SB)", Cum: 1e7,
			Calls: []ListCall{{Function: "encoding/json.(*Encoder).encodeTheWholeThing", Cum: 1e7}, {Function: "runtime.morestack", Cum: 1}},
		}, {
			Address: 0x6927bd, Text: "CALL main.f(SB)", Cum: 1e7, Calls: []ListCall{{Function: "main.f", Cum: 1e7}},
		}},
	}}}
	list := &List{Header: h, Functions: []ListFunction{{
		Name: "main.(*server).timed", File: "/home/somebody/src/example.com/service/internal/handlers.go",
	}}}
	var out bytes.Buffer
	if err := WriteDisasm(&out, style, disasm); err != nil {
		t.Fatal(err)
	}
	if err := WriteList(&out, style, list); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(out.String()) {
		if n := columns(strings.TrimSuffix(line, "\n")); n > style.Width {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	for _, want := range []string{"CALL main.f(SB)", "main.f 10ms", "10ms, …", "in …/internal/handlers.go"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
}
