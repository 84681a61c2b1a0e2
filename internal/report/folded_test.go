package report

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	pprof "github.com/google/pprof/profile"

	"github.com/whet-go/whet/profile"
)

// A testSample is a stack, outermost first, as "function" or "function:line",
// with ">" before a frame that is inlined into the one before it.
type testSample struct {
	stack  string
	values []int64
	labels map[string][]string
}

// testProfile builds a profile of the given samples. All functions of package p
// are in p.go.
func testProfile(t *testing.T, types string, samples ...testSample) *profile.Profile {
	t.Helper()
	p := &pprof.Profile{PeriodType: &pprof.ValueType{Type: "cpu", Unit: "nanoseconds"}, Period: 10}
	for st := range strings.FieldsSeq(types) {
		typ, unit, _ := strings.Cut(st, "/")
		p.SampleType = append(p.SampleType, &pprof.ValueType{Type: typ, Unit: unit})
	}
	m := &pprof.Mapping{ID: 1, Start: 0x1000, Limit: 0x9000, File: "/bin/prog", HasFunctions: true}
	p.Mapping = []*pprof.Mapping{m}
	functions := make(map[string]*pprof.Function)
	locations := make(map[string]*pprof.Location)
	for _, s := range samples {
		ps := &pprof.Sample{Value: s.values, Label: s.labels}
		var group []string // an outer frame and what is inlined into it
		flush := func() {
			if len(group) == 0 {
				return
			}
			key := strings.Join(group, " ")
			l := locations[key]
			if l == nil {
				l = &pprof.Location{ID: uint64(len(locations) + 1), Mapping: m, Address: 0x1000 + uint64(len(locations))*16}
				for i := len(group) - 1; i >= 0; i-- {
					name, line := strings.TrimPrefix(group[i], ">"), 1
					if n, num, ok := cutAtLast(name, ":"); ok {
						var err error
						if line, err = strconv.Atoi(num); err != nil {
							t.Fatal(err)
						}
						name = n
					}
					f := functions[name]
					if f == nil {
						pkg, _, _ := strings.Cut(name, ".")
						f = &pprof.Function{ID: uint64(len(functions) + 1), Name: name, SystemName: name, Filename: "/src/" + pkg + ".go", StartLine: 1}
						functions[name] = f
						p.Function = append(p.Function, f)
					}
					l.Line = append(l.Line, pprof.Line{Function: f, Line: int64(line)})
				}
				locations[key] = l
				p.Location = append(p.Location, l)
			}
			ps.Location = append([]*pprof.Location{l}, ps.Location...)
			group = nil
		}
		for _, f := range strings.Fields(s.stack) {
			if !strings.HasPrefix(f, ">") {
				flush()
			}
			group = append(group, f)
		}
		flush()
		p.Sample = append(p.Sample, ps)
	}
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	got, err := profile.Parse(b.Bytes(), profile.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestFolded(t *testing.T) {
	p := testProfile(t, "cpu/nanoseconds",
		testSample{stack: "main.main main.a >main.b", values: []int64{10}},
		testSample{stack: "main.main main.c", values: []int64{5}},
		testSample{stack: "main.main main.a >main.b", values: []int64{7}, labels: map[string][]string{"k": {"v"}}},
		testSample{stack: "main.main", values: []int64{1}},
		testSample{stack: "main.main main.zero", values: []int64{3}},
		testSample{stack: "main.main main.zero", values: []int64{-3}, labels: map[string][]string{"k": {"v"}}},
		testSample{stack: "", values: []int64{2}},
		testSample{stack: "main.f[a;b]", values: []int64{4}},
	)
	want := map[string]int64{
		"main.main;main.a;main.b": 17,
		"main.main;main.c":        5,
		"main.main":               1,
		"main.f[a%3Bb]":           4,
		"[no stack]":              2,
	}
	v := bind(t, p, profile.Query{})
	first := writeString(t, func(b *bytes.Buffer) error { return Folded(b, v) })
	if diff := cmp.Diff(want, parseFolded(t, first)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	for range 5 {
		again := writeString(t, func(b *bytes.Buffer) error { return Folded(b, bind(t, p, profile.Query{})) })
		if again != first {
			t.Fatalf("order changes from run to run:\n%s\n%s", first, again)
		}
	}
	byLine := foldedOf(t, bind(t, p, profile.Query{By: profile.ByLine, Focus: regexp.MustCompile("main.c$")}))
	if diff := cmp.Diff(map[string]int64{"main.main /src/main.go:1;main.c /src/main.go:1": 5}, byLine); diff != "" {
		t.Errorf("by line (-want +got)\n%s", diff)
	}
}

func TestFoldedEscape(t *testing.T) {
	for in, want := range map[string]string{
		"main.(*T).f":              "main.(*T).f",
		"main.f[struct { A; B }]":  "main.f[struct { A%3B B }]",
		"two\nlines\r":             "two%0Alines%0D",
		"gopkg.in/yaml%2ev3.parse": "gopkg.in/yaml%2ev3.parse",
		"π;":                       "π%3B",
	} {
		if got := foldedEscape(in); got != want {
			t.Errorf("foldedEscape(%q) = %q, want %q", in, got, want)
		}
	}
}
