package listing

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/whet-go/whet/internal/profile/oracletest"
	"github.com/whet-go/whet/profile"
)

// testListOracle compares the flat and cum of every line of every function with go tool pprof
// -list. pprof shows only lines of files that it finds, so the test creates files of empty lines
// with the names in the profile.
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

	functions, err := List(v, ListOptions{Match: regexp.MustCompile("."), Context: -1})
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[string][2]int64)
	for _, f := range functions {
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
	checkCalls(t, functions)
}

var listRow = regexp.MustCompile(`^ *(\S+) +(\S+) +(\d+):`)

// parseList reads pprof's listing: it maps "function file:line" to flat and cum, for lines that
// have any, and "function file" to the first and last line shown.
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

// checkCalls checks what the oracle cannot: without recursion and negative values, the cost of a
// line itself and of each of its calls add up to its cum.
func checkCalls(t *testing.T, functions []ListFunction) {
	t.Helper()
	for _, f := range functions {
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

func TestList(t *testing.T) {
	v := oracletest.Bind(t, oracletest.Calls(t), profile.Query{By: profile.ByLine})
	functions, err := List(v, ListOptions{Match: regexp.MustCompile(`main\.f`), Source: oracletest.Sources, Context: 0})
	if err != nil {
		t.Fatal(err)
	}
	if len(functions) != 1 {
		t.Fatalf("%d functions", len(functions))
	}
	f := functions[0]
	if f.Flat != 20 || f.Cum != 90 || v.Total() != 90 || f.Source != "/found/main.go" {
		t.Errorf("flat %d, cum %d, total %d, source %q", f.Flat, f.Cum, v.Total(), f.Source)
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
	checkCalls(t, functions)
}

func TestListNoMatch(t *testing.T) {
	v := oracletest.Bind(t, oracletest.Calls(t), profile.Query{By: profile.ByLine})
	if _, err := List(v, ListOptions{Match: regexp.MustCompile("nothing")}); !errors.Is(err, ErrNoMatch) {
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
