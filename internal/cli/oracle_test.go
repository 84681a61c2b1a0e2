package cli_test

import (
	"encoding/json"
	"maps"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/whet-go/whet/internal/input/documents"
	"github.com/whet-go/whet/unit"
)

// oracle runs go tool pprof on the compiler's own profile.
func oracle(t *testing.T, args ...string) (path, out string) {
	t.Helper()
	path = filepath.Join(goroot(t), "src", "cmd", "compile", "default.pgo")
	cmd := exec.Command("go", append(append([]string{"tool", "pprof", "-symbolize=none"}, args...), path)...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	b, err := cmd.Output()
	if err != nil {
		t.Skipf("go tool pprof %v: %v\n%s", args, err, stderr.String())
	}
	return path, string(b)
}

func whetJSON[T any](t *testing.T, args ...string) T {
	t.Helper()
	code, stdout, stderr := runWhet(t, args...)
	if code != 0 {
		t.Fatalf("whet %q: exit code %d\n%s", args, code, stderr)
	}
	var doc T
	if err := json.Unmarshal([]byte(stdout), &doc); err != nil {
		t.Fatalf("whet %q: %v", args, err)
	}
	return doc
}

// TestTopAgainstPprof compares the text of each number with go tool pprof -top.
func TestTopAgainstPprof(t *testing.T) {
	for _, tt := range []struct {
		name        string
		whet, pprof []string
	}{
		{"flat", nil, nil},
		{"cum", []string{"--cum"}, []string{"-cum"}},
		{"lines", []string{"--by", "line"}, []string{"-lines"}},
		{"no inlines", []string{"--no-inlines"}, []string{"-noinlines"}},
		{"focus", []string{"--focus", "mallocgc", "--ignore", "gcAssist"}, []string{"-focus=mallocgc", "-ignore=gcAssist"}},
		{"hide", []string{"--hide", "^runtime"}, []string{"-hide=^runtime"}},
		{"prune-from", []string{"--prune-from", "mallocgc|ssa.Compile"}, []string{"-prune_from=mallocgc|ssa.Compile"}},
		{"mean", []string{"--mean"}, []string{"-mean"}},
		{
			"show-from",
			[]string{"--show-from", "ssa.Compile", "--relative"},
			[]string{"-show_from=ssa.Compile", "-relative_percentages"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path, out := oracle(t, append([]string{"-top", "-unit=s", "-nodefraction=0", "-nodecount=0"}, tt.pprof...)...)
			_, table, ok := strings.Cut(out, "flat%   sum%        cum   cum%\n")
			if !ok {
				t.Fatalf("no table in\n%s", out)
			}
			type row struct{ flat, flatPart, cum, cumPart string }
			want := map[row][]string{}
			inline := regexp.MustCompile(` \((partial-)?inline\)$`)
			rows := 0
			for line := range strings.Lines(table) {
				f := strings.Fields(line)
				r := row{f[0], f[1], f[3], f[4]}
				want[r] = append(want[r], inline.ReplaceAllString(strings.Join(f[5:], " "), ""))
				rows++
			}
			doc := whetJSON[documents.Top](t, append([]string{"top", "--all", "--json", "-n", "0", path}, tt.whet...)...)
			if len(doc.All.Nodes) != rows {
				t.Errorf("%d nodes, pprof has %d", len(doc.All.Nodes), rows)
			}
			bad := 0
			for _, n := range doc.All.Nodes {
				value := func(v int64) string { return unit.Of(v, doc.Header.SampleType.Unit).In("s") }
				r := row{value(n.Flat), unit.Percent(n.Flat, doc.Header.Total), value(n.Cum), unit.Percent(n.Cum, doc.Header.Total)}
				if !slices.Contains(want[r], n.Name) {
					if bad++; bad <= 5 {
						t.Errorf("%v %s is not a row of pprof's", r, n.Name)
					}
				}
			}
		})
	}
}

// TestUnitAgainstPprof compares the values in the text with go tool pprof -unit.
func TestUnitAgainstPprof(t *testing.T) {
	// A value of 0 has no unit. whet writes two decimals throughout, so that columns align.
	row := regexp.MustCompile(`(?m)^ *([\d.]+)(us|ms|s)? +[\d.]+% +[\d.]+% +([\d.]+)(us|ms|s) +[\d.]+%  (\S+)`)
	for _, u := range []string{"us", "ms", "s"} {
		path, out := oracle(t, "-top", "-unit="+u, "-nodecount=40", "-nodefraction=0")
		code, stdout, stderr := runWhet(t, "top", "--all", "--unit", u, "-n", "40", path)
		if code != 0 {
			t.Fatalf("exit code %d\n%s", code, stderr)
		}
		rows := func(text string) map[string][]string {
			m := map[string][]string{}
			for _, r := range row.FindAllStringSubmatch(text, -1) {
				m[r[5]] = []string{strings.TrimSuffix(r[1], ".00"), r[2], strings.TrimSuffix(r[3], ".00"), r[4]}
			}
			return m
		}
		want, got := rows(out), rows(stdout)
		if len(want) < 30 {
			t.Fatalf("%d rows in\n%s", len(want), out)
		}
		for name, w := range want {
			if g, ok := got[name]; ok && !slices.Equal(g, w) {
				t.Errorf("--unit %s: %s %q, pprof has %q", u, name, g, w)
			} else if !ok {
				t.Errorf("--unit %s: %s is missing in\n%s", u, name, stdout)
			}
		}
	}
}

// TestPeekAgainstPprof compares callers and callees with go tool pprof -peek.
func TestPeekAgainstPprof(t *testing.T) {
	t.Run("sum", func(t *testing.T) { comparePeek(t, nil, nil) })
	t.Run("mean", func(t *testing.T) { comparePeek(t, []string{"--mean"}, []string{"-mean"}) })
}

func comparePeek(t *testing.T, whetArgs, pprofArgs []string) {
	const pattern = `runtime\.(mallocgc|growslice)$`
	path, out := oracle(t, append([]string{"-peek", pattern, "-unit=s"}, pprofArgs...)...)
	edge := regexp.MustCompile(`^ +(\S+) +(\S+) \|   (.*)$`)
	node := regexp.MustCompile(`^ +\S+ +\S+ +\S+ +(\S+) +\S+ +\| (.*)$`)
	want := map[string]bool{}
	var pending []string // callers stand before their node
	current := ""
	for line := range strings.Lines(out) {
		line = strings.TrimRight(line, "\n")
		switch {
		case strings.HasPrefix(line, "-----"):
			current, pending = "", nil
		case node.MatchString(line):
			m := node.FindStringSubmatch(line)
			current = m[2]
			want[current+" cum "+m[1]] = true
			for _, p := range pending {
				want[current+" from "+p] = true
			}
		case edge.MatchString(line):
			m := edge.FindStringSubmatch(line)
			if text := m[1] + " " + m[2] + " " + m[3]; current == "" {
				pending = append(pending, text)
			} else {
				want[current+" to "+text] = true
			}
		}
	}
	if len(want) < 20 {
		t.Fatalf("only %d facts in pprof's output:\n%s", len(want), out)
	}
	got := map[string]bool{}
	doc := whetJSON[documents.Peek](t, append([]string{"peek", "--json", pattern, path}, whetArgs...)...)
	for _, n := range doc.Nodes {
		value := func(v int64) string { return unit.Of(v, doc.Header.SampleType.Unit).In("s") }
		got[n.Name+" cum "+value(n.Cum)] = true
		add := func(way string, list []documents.PeekEdge) {
			for _, e := range list {
				text := n.Name + way + value(e.Weight) + " " + unit.Percent(e.Weight, n.Cum) + " " + e.Name
				if e.Inlined {
					text += " (inline)"
				}
				got[text] = true
			}
		}
		add(" from ", n.Callers)
		add(" to ", n.Callees)
	}
	if len(whetArgs) > 0 {
		// pprof -peek writes sums on the calls and means on the functions: 23400%. Means of
		// calls are compared with pprof -dot, in package profile.
		edge := func(fact string, _ bool) bool { return !strings.Contains(fact, " cum ") }
		maps.DeleteFunc(want, edge)
		maps.DeleteFunc(got, edge)
	}
	for w := range want {
		if !got[w] {
			t.Errorf("pprof has %q, whet does not", w)
		}
	}
	for g := range got {
		if !want[g] {
			t.Errorf("whet has %q, pprof does not", g)
		}
	}
}

// TestTracesAgainstPprof compares stacks and their values with go tool pprof -traces, after adding equal
// ones.
func TestTracesAgainstPprof(t *testing.T) {
	path, out := oracle(t, "-traces", "-unit=ms")
	want := map[string]float64{}
	for block := range strings.SplitSeq(out, "-----------+-------------------------------------------------------\n") {
		var frames []string
		value := ""
		for line := range strings.Lines(block) {
			v, name, ok := strings.Cut(strings.TrimSpace(line), "   ")
			if !ok {
				name = v
			} else {
				value = v
			}
			frames = append(frames, strings.TrimSuffix(strings.TrimSpace(name), " (inline)"))
		}
		if !strings.HasSuffix(value, "ms") {
			continue // the heading
		}
		want[strings.Join(frames, "<")] += parseMillis(t, value)
	}
	doc := whetJSON[documents.Traces](t, "traces", "--json", "-n", "0", path)
	if len(doc.Stacks) != len(want) {
		t.Errorf("%d stacks, pprof has %d", len(doc.Stacks), len(want))
	}
	bad := 0
	for _, s := range doc.Stacks {
		var frames []string
		for _, f := range s.Frames {
			frames = append(frames, f.Name)
		}
		if ms := float64(s.Value) / 1e6; want[strings.Join(frames, "<")] != ms {
			if bad++; bad <= 3 {
				t.Errorf("%vms, pprof has %vms: %v", ms, want[strings.Join(frames, "<")], frames)
			}
		}
	}
}

func parseMillis(t *testing.T, s string) float64 {
	t.Helper()
	var v float64
	if err := json.Unmarshal([]byte(strings.TrimSuffix(s, "ms")), &v); err != nil {
		t.Fatalf("%q: %v", s, err)
	}
	return v
}
