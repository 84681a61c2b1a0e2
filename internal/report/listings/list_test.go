package listings

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/internal/report/oracletest"
	"github.com/whet-go/whet/internal/report/profiles"
	"github.com/whet-go/whet/profile"
)

// testListOracle compares the flat and cum of every line of every function with
// go tool pprof -list. pprof only shows lines of files that it finds, so it is
// given a tree of empty lines under the names that the profile has.
func testListOracle(t *testing.T, file string, p *profile.Profile) {
	v := oracletest.Bind(t, p, profile.Query{By: profile.ByLine})
	root := t.TempDir()
	last := make(map[string]int)
	for _, n := range v.Nodes(true) {
		if n.File != "" && n.Line != 0 {
			last[n.File] = max(last[n.File], n.Line)
		}
	}
	if len(last) == 0 {
		t.Skip("the profile has no lines")
	}
	for name, n := range last {
		dst := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(dst), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(dst, bytes.Repeat([]byte("\n"), n+10), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, ranges := parseList(t, oracletest.RunPprof(t, "-list=.", "-trim_path=/", "-source_path="+root,
		"-unit="+oracletest.SmallestUnit(t, v), file))

	r, err := NewList(headerOf(v), v, ListOptions{Match: regexp.MustCompile("."), Context: -1})
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[string][2]int64)
	for _, f := range r.Functions {
		for _, l := range f.Lines {
			// pprof shows neither line 0 nor lines before a function's first.
			routine := f.Name + " " + strings.TrimPrefix(f.File, "/")
			if r := ranges[routine]; l.Line != 0 && l.Line >= r[0] && l.Line <= r[1] {
				got[fmt.Sprintf("%s:%d", routine, l.Line)] = [2]int64{l.Flat, l.Cum}
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-go tool pprof +whet)\n%s", oracletest.ClipText(diff))
	}
	if len(got) == 0 {
		t.Error("no lines")
	}
	checkCalls(t, r)
}

// headerOf is what the reports need of the facts that the command line knows.
func headerOf(v *profile.View) profiles.Header {
	return profiles.Header{SampleType: v.Type(), Total: v.Total()}
}

var listRow = regexp.MustCompile(`^ *(\S+) +(\S+) +(\d+):`)

// parseList reads pprof's listing: "function file:line" to flat and cum, for
// lines that have any, and "function file" to the first and last line shown.
func parseList(t *testing.T, text string) (costs map[string][2]int64, ranges map[string][2]int) {
	t.Helper()
	m := make(map[string][2]int64)
	ranges = make(map[string][2]int)
	routine := ""
	for line := range strings.Lines(text) {
		if s, ok := strings.CutPrefix(line, "ROUTINE ======================== "); ok {
			name, file, _ := oracletest.CutAtLast(strings.TrimSpace(s), " in ")
			// whet lists the instantiations of a generic function together.
			routine = profile.Generic(name) + " " + file
			continue
		}
		f := listRow.FindStringSubmatch(line)
		if f == nil || routine == "" {
			continue
		}
		n, err := strconv.Atoi(f[3])
		if err != nil {
			t.Fatal(err)
		}
		if ranges[routine][0] == 0 {
			ranges[routine] = [2]int{n, n}
		}
		ranges[routine] = [2]int{min(n, ranges[routine][0]), max(n, ranges[routine][1])}
		v := [2]int64{oracletest.PprofValue(t, f[1]), oracletest.PprofValue(t, f[2])}
		if v != [2]int64{} {
			sum := m[routine+":"+f[3]]
			m[routine+":"+f[3]] = [2]int64{sum[0] + v[0], sum[1] + v[1]}
		}
	}
	return m, ranges
}

// checkCalls checks what the oracle does not have: without recursion and negative
// values, what a line spent itself and in each call adds up to its cum.
func checkCalls(t *testing.T, r *List) {
	t.Helper()
	for _, f := range r.Functions {
		for _, l := range f.Lines {
			below := sumBelow(l.Inlined, l.Calls)
			if l.Cum > 0 && l.Flat >= 0 && below+l.Flat < l.Cum {
				t.Errorf("%s:%d: cum %d, but flat %d and calls %d", f.Name, l.Line, l.Cum, l.Flat, below)
			}
			if l.Flat == l.Cum && len(l.Calls) > 0 && below > 0 && l.Flat == 0 {
				t.Errorf("%s:%d: calls without cum", f.Name, l.Line)
			}
		}
	}
}

func sumBelow(in []ListInline, calls []ListCall) int64 {
	var s int64
	for _, c := range calls {
		s += c.Cum
	}
	for _, c := range in {
		s += c.Cum
	}
	return s
}

// listProfile has a function with its own cost, calls, inlined calls of two
// levels, and recursion through two of its lines.
func listProfile(t *testing.T) *profile.Profile {
	return oracletest.Profile(t, "samples/count cpu/nanoseconds",
		oracletest.Sample{Stack: "main.main:3 main.f:12", Values: []int64{1, 10}},
		oracletest.Sample{Stack: "main.main:3 main.f:13 lib.g:2", Values: []int64{2, 20}},
		oracletest.Sample{Stack: "main.main:3 main.f:13 lib.h:4", Values: []int64{1, 10}},
		oracletest.Sample{Stack: "main.main:3 main.f:14 >lib.inl:6 >lib.deep:8", Values: []int64{3, 30}},
		oracletest.Sample{Stack: "main.main:3 main.f:14 >lib.inl:7 lib.g:2", Values: []int64{1, 10}},
		oracletest.Sample{Stack: "main.main:3 main.f:15 main.f:16 main.f:15 main.f:12", Values: []int64{1, 10}},
	)
}

func testSources(name string) ([]string, string, error) {
	if path.Base(name) != "main.go" && path.Base(name) != "lib.go" {
		return nil, "", fmt.Errorf("find %s: %w", name, fs.ErrNotExist)
	}
	lines := make([]string, 30)
	for i := range lines {
		lines[i] = fmt.Sprintf("\t%s line %d", path.Base(name), i+1)
	}
	lines[0] = "func f() {"
	return lines, "/found/" + path.Base(name), nil
}

func TestList(t *testing.T) {
	v := oracletest.Bind(t, listProfile(t), profile.Query{By: profile.ByLine})
	r, err := NewList(headerOf(v), v, ListOptions{Match: regexp.MustCompile(`main\.f`), Source: testSources, Context: 0})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Functions) != 1 {
		t.Fatalf("%d functions", len(r.Functions))
	}
	f := r.Functions[0]
	if f.Flat != 20 || f.Cum != 90 || r.Header.Total != 90 || f.Source != "/found/main.go" {
		t.Errorf("flat %d, cum %d, total %d, source %q", f.Flat, f.Cum, r.Header.Total, f.Source)
	}
	want := []ListLine{
		{Line: 12, Flat: 20, Cum: 20, Text: "\tmain.go line 12"},
		{
			Line: 13, Cum: 30, Text: "\tmain.go line 13",
			Calls: []ListCall{{Function: "lib.g", Cum: 20}, {Function: "lib.h", Cum: 10}},
		},
		{Line: 14, Cum: 40, Text: "\tmain.go line 14", Inlined: []ListInline{
			{Function: "lib.inl", File: "/src/lib.go", Line: 6, Text: "lib.go line 6", Cum: 30, Inlined: []ListInline{
				{Function: "lib.deep", File: "/src/lib.go", Line: 8, Text: "lib.go line 8", Flat: 30, Cum: 30},
			}},
			{
				Function: "lib.inl", File: "/src/lib.go", Line: 7, Text: "lib.go line 7", Cum: 10,
				Calls: []ListCall{{Function: "lib.g", Cum: 10}},
			},
		}},
		{Line: 15, Cum: 10, Text: "\tmain.go line 15", Calls: []ListCall{{Function: "main.f", Cum: 10}}},
		{Line: 16, Cum: 10, Text: "\tmain.go line 16", Calls: []ListCall{{Function: "main.f", Cum: 10}}},
	}
	if diff := cmp.Diff(want, f.Lines); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	checkCalls(t, r)
}

func TestListText(t *testing.T) {
	v := oracletest.Bind(t, listProfile(t), profile.Query{By: profile.ByLine})
	r, err := NewList(headerOf(v), v, ListOptions{
		Match: regexp.MustCompile(`main\.(f|main)`), Source: testSources,
		Context: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	got := oracletest.WriteString(t, func(b *bytes.Buffer) error { return WriteList(b, layout.Style{}, r) })
	const want = `Total: 90ns cpu
ROUTINE ======================== main.f in /src/main.go
      20ns       90ns (flat, cum) 100% of total
  source from /found/main.go
         .          .             11      main.go line 11
      20ns       20ns  22.22%     12      main.go line 12
         .       30ns  33.33%     13      main.go line 13
                 20ns                   → lib.g
                 10ns                   → lib.h
         .       40ns  44.44%     14      main.go line 14
         .       30ns                   ⤷ lib.inl lib.go:6  lib.go line 6
      30ns       30ns                     ⤷ lib.deep lib.go:8  lib.go line 8
         .       10ns                   ⤷ lib.inl lib.go:7  lib.go line 7
                 10ns                     → lib.g
         .       10ns  11.11%     15      main.go line 15
                 10ns                   → main.f
         .       10ns  11.11%     16      main.go line 16
                 10ns                   → main.f
         .          .             17      main.go line 17
ROUTINE ======================== main.main in /src/main.go
         0       90ns (flat, cum) 100% of total
  source from /found/main.go
         .          .              2      main.go line 2
         .       90ns    100%      3      main.go line 3
                 90ns                   → main.f
         .          .              4      main.go line 4
`
	if got != want {
		t.Errorf("(-want +got)\n%s", cmp.Diff(want, got))
	}
}

// TestListPreempted wants a line's preemption not to look like a call.
func TestListPreempted(t *testing.T) {
	p := oracletest.Profile(t, "cpu/nanoseconds",
		oracletest.Sample{Stack: "main.main:3 main.f:12 runtime.asyncPreempt:5 runtime.asyncPreempt2:7", Values: []int64{10}},
		oracletest.Sample{Stack: "main.main:3 main.f:12 lib.g:2", Values: []int64{20}},
	)
	v := oracletest.Bind(t, p, profile.Query{By: profile.ByLine})
	r, err := NewList(headerOf(v), v, ListOptions{Match: regexp.MustCompile(`main\.f`), Source: testSources})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := WriteList(&b, layout.Style{}, r); err != nil {
		t.Fatal(err)
	}
	if out := b.String(); !strings.Contains(out, "10ns                   preempted here (runtime.asyncPreempt)") ||
		strings.Contains(out, "→ runtime.asyncPreempt") {
		t.Errorf("%s", out)
	}
	checkCalls(t, r)
}

func TestListWithoutSource(t *testing.T) {
	v := oracletest.Bind(t, listProfile(t), profile.Query{By: profile.ByLine})
	missing := func(string) ([]string, string, error) { return nil, "", errors.New("not in the module cache") }
	r, err := NewList(headerOf(v), v, ListOptions{Match: regexp.MustCompile(`main\.f`), Source: missing, Context: -1})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(r.Functions[0].Lines); n != 5 {
		t.Errorf("%d lines, want the 5 with cost", n)
	}
	if diff := cmp.Diff([]string{"/src/main.go"}, r.MissingSource()); diff != "" {
		t.Error(diff)
	}
	text := oracletest.WriteString(t, func(b *bytes.Buffer) error { return WriteList(b, layout.Style{}, r) })
	for _, want := range []string{"no source text: not in the module cache", "      20ns       20ns  22.22%     12\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

func TestListStaleSource(t *testing.T) {
	v := oracletest.Bind(t, listProfile(t), profile.Query{By: profile.ByLine})
	for first, want := range map[string]bool{"func (t *T) f() {": false, "x := 1": true, "": true} {
		r, err := NewList(headerOf(v), v, ListOptions{
			Match: regexp.MustCompile(`main\.f`), Context: 0,
			Source: func(string) ([]string, string, error) {
				return []string{first}, "here", nil
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		text := oracletest.WriteString(t, func(b *bytes.Buffer) error { return WriteList(b, layout.Style{}, r) })
		if got := r.Functions[0].Stale; got != want || strings.Contains(text, "not the source that was compiled") != want {
			t.Errorf("first line %q: stale is %v", first, got)
		}
	}
}

func TestListNoMatch(t *testing.T) {
	v := oracletest.Bind(t, listProfile(t), profile.Query{By: profile.ByLine})
	if _, err := NewList(headerOf(v), v, ListOptions{Match: regexp.MustCompile("nothing")}); !errors.Is(err, ErrNoMatch) {
		t.Errorf("got %v", err)
	}
}

// TestListingsAgainstPprof compares them with go tool pprof's on real profiles.
func TestListingsAgainstPprof(t *testing.T) {
	o := oracletest.NewOracle(t)
	for file, p := range o.Profiles(t) {
		t.Run(filepath.Base(file), func(t *testing.T) { testListOracle(t, file, p) })
	}
	t.Run("disasm", func(t *testing.T) { testDisasmOracle(t, o) })
}
