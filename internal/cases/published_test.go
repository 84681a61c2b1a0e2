package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/whet-go/whet/bench"
	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/internal/golden"
)

// TestPublishedPage renders the page about services as published from the stored results.
func TestPublishedPage(t *testing.T) {
	t.Parallel()
	const dir = "../../docs/measured/cases"
	text, err := publishedPageText(dir)
	if err != nil {
		t.Fatalf("%v: measure it (make published)", err)
	}
	golden.Check(t, filepath.Join(dir, "..", publishedPageName), text)
}

// TestPublishedStudies checks that the steps of all figures exist, and that the services are for Go
// 1.17.
func TestPublishedStudies(t *testing.T) {
	t.Parallel()
	for _, s := range publishedStudies() {
		var names []string
		for _, st := range s.steps {
			if slices.Contains(names, st.name) {
				t.Errorf("%s: two steps are called %s", s.name, st.name)
			}
			names = append(names, st.name)
		}
		for _, f := range s.published.figures {
			for _, side := range []string{whetSide, authorSide} {
				if !slices.Contains(names, f.step+side) {
					t.Errorf("%s: %s is a figure of step %s, which does not exist", s.name, f.name, f.step+side)
				}
			}
		}
		for _, version := range []string{"original", "final"} {
			mod, err := os.ReadFile(filepath.Join("../..", publishedDir, s.published.service, version, "go.mod"))
			if err != nil {
				t.Error(err)
			} else if !strings.Contains(string(mod), "\ngo 1.17\n") {
				t.Errorf("%s/%s is not for Go 1.17", s.published.service, version)
			}
		}
		for _, c := range s.published.changes {
			if c.titles == nil && c.note == "" {
				t.Errorf("%s: nothing is known about the change %q", s.name, c.text)
			}
		}
	}
}

// publishedRoot returns the root of a module with the published service x.
func publishedRoot(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for _, version := range []string{"original", "final"} {
		dir := filepath.Join(root, publishedDir, "x", version)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		for name, text := range map[string]string{
			"go.mod":  "module example.com/x\n\ngo 1.17\n",
			"main.go": "package main\n\nfunc main() { print(`" + version + "`) }\n",
		} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	return root
}

// compared is a comparison of services in the form that whet writes, in which B takes ratio of the
// time of A.
func compared(ratio bench.Float) ([]byte, error) {
	r := service()
	u := &r.Subjects[0].Units[1]
	u.Ratio, u.Low, u.High, u.Verdict = ratio, ratio*0.9, ratio*1.1, ab.Better
	return json.Marshal(map[string]any{"schema": servicesSchema, "ab": r})
}

// TestMeasurePublished fixes and compares a published service, in two runs, the first of which
// fails.
func TestMeasurePublished(t *testing.T) {
	t.Parallel()
	root := publishedRoot(t)
	bin := filepath.Join(root, ".bin")
	p := published{
		service: "x", load: []string{"--load", "http://127.0.0.1:1/", "--load-header", "A: b", "--body", "@body.json"},
		benches: []string{"./stats"},
	}
	s := p.study("x")
	setting := func(stage string, setting map[string]any) map[string]any {
		return map[string]any{"finding": map[string]any{"fix": map[string]any{"setting": setting}}, "stage": stage}
	}
	result := map[string]any{
		"schema": fixSchema,
		"attempts": []any{map[string]any{
			"finding": map[string]any{
				"rule": "pad", "title": "padded", "places": []any{map[string]any{"file": "main.go", "line": 3}},
			}, "stage": "kept",
		}},
		"settings": []any{
			setting("kept", map[string]any{"build": []string{"GOEXPERIMENT=jsonv2"}}),
			setting("kept", map[string]any{"run": []string{"GOGC=400"}}),
			setting("measure", map[string]any{"build": []string{"-unknown"}}),
		},
		"untried": []any{
			map[string]any{"title": "JSON", "file": "main.go", "line": 7, "reason": "another module"},
			map[string]any{"file": "gone.go", "reason": "a line without a finding"},
		},
	}
	broken := errors.New("exit status 1")
	c := &calls{}
	c.out = func(args []string) ([]byte, error) {
		switch {
		case args[0] == "fix":
			return json.Marshal(result)
		case args[0] == "bench" && args[1] == "--service":
			return compared(0.5)
		case args[0] == "bench":
			return json.Marshal(fixed())
		}
		return nil, nil
	}
	b := &session{
		root: root, bin: bin, time: time.Second, fixTime: 2 * time.Second, fuzzTime: 3 * time.Second, log: io.Discard,
	}
	b.whet = func(ctx context.Context, dir string, args ...string) ([]byte, error) {
		if args[0] == "bench" && strings.Contains(strings.Join(args, " "), "/author") && broken != nil {
			return nil, broken
		}
		return c.whet(ctx, dir, args...)
	}
	if err := b.measure(t.Context(), s, newResults()); !errors.Is(err, broken) {
		t.Fatalf("error %v, want %v", err, broken)
	}
	dir := filepath.Join(bin, "published", "x")
	copied := filepath.Join(dir, fixedDir, "published-x")
	load := []string{
		"--load", "http://127.0.0.1:1/", "--load-header", "A: b", "--body", "@" + filepath.Join(root, "body.json"),
	}
	want := [][]string{
		slices.Concat([]string{"record", "-o", filepath.Join(dir, "service.whet")}, load,
			[]string{"--", filepath.Join(dir, "original")}),
		{"record", "-o", filepath.Join(dir, "bench.whet"), "--bench", ".", "./stats"},
		append([]string{
			"fix", filepath.Join(dir, "service.whet"), filepath.Join(dir, "bench.whet"), "--apply", "--review",
			"--max-time", "2s", "--fuzz-time", "3s", "--json", "--service", "",
		}, load...),
	}
	for i, args := range want {
		if !slices.Equal(c.args[i], args) {
			t.Errorf("run %d: %q, want %q", i, c.args[i], args)
		}
	}
	if c.dirs[1] != copied || c.dirs[2] != copied {
		t.Errorf("ran in %q, want the copy %s", c.dirs[:3], copied)
	}

	// The next run measures what is missing.
	broken, c.args = nil, nil
	r := newResults()
	if err := b.measure(t.Context(), s, r); err != nil {
		t.Fatal(err)
	}
	var ran []string
	for _, args := range c.args {
		ran = append(ran, args[0]+" "+filepath.Base(args[3]))
	}
	if want := []string{"bench author", "bench settings"}; !slices.Equal(ran, want) {
		t.Errorf("the second run ran %q, want %q", ran, want)
	}
	if got, want := r.Comparisons[serviceStep+settingsSide].Command,
		"whet bench --service .bin/published/x/original 'GOGC=400 .bin/published/x/settings' --load http://127.0.0.1:1/ "+
			"--header 'A: b' --body @body.json --same-answers --max-time 5s --precision 2%"; got != want {
		t.Errorf("shown as %s, want %s", got, want)
	}
	if a := r.Fixes[fixStep]; len(a) != 1 || a[0].Place != "main.go:3" || !a[0].kept() {
		t.Errorf("fixes: %+v", a)
	}
	if a := r.Left[fixStep]; len(a) != 1 || a[0].Place != "main.go:7" {
		t.Errorf("left: %+v", a)
	}
	if all := proven(r.Settings[fixStep]); !slices.Equal(all.Build, []string{"GOEXPERIMENT=jsonv2"}) ||
		!slices.Equal(all.Run, []string{"GOGC=400"}) {
		t.Errorf("proven settings: %+v", all)
	}
	for _, name := range []string{"original", "author", "whet", "settings"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}

	// Results of another plan are not used.
	b.fixTime, c.args = time.Hour, nil
	if err := b.measure(t.Context(), s, newResults()); err != nil {
		t.Fatal(err)
	}
	if len(c.args) != len(s.steps)+2 { // with two recordings
		t.Errorf("a run with another plan ran %q", c.args)
	}
}

// TestPublishedEnds checks that a complete run leaves no state, and that one that failed does.
func TestPublishedEnds(t *testing.T) {
	t.Parallel()
	root := publishedRoot(t)
	p := published{service: "x", load: []string{"--load", "http://127.0.0.1:1/"}}
	for _, fails := range []bool{true, false} {
		b := &session{root: root, bin: filepath.Join(root, ".bin"), time: time.Second, log: io.Discard}
		b.whet = func(_ context.Context, _ string, args ...string) ([]byte, error) {
			switch {
			case args[0] == "fix":
				return json.Marshal(map[string]any{"schema": fixSchema})
			case args[0] != "bench":
				return nil, nil
			case fails:
				return nil, errors.New("exit status 1")
			}
			return compared(0.5)
		}
		dir := filepath.Join(root, "docs", "cases")
		if err := b.published(t.Context(), dir, []study{p.study("x")}, true); (err != nil) != fails {
			t.Errorf("error %v", err)
		}
		if _, err := os.Stat(filepath.Join(root, "docs", publishedPageName)); err != nil && !fails {
			t.Error(err)
		}
		_, err := os.Stat(filepath.Join(b.bin, "published", "x", stateFile))
		if left := err == nil; left != fails {
			t.Errorf("a run that failed %v left its state: %v", fails, left)
		}
		if _, err := os.Stat(filepath.Join(dir, "results", "published-x.json")); errors.Is(err, fs.ErrNotExist) != fails {
			t.Errorf("a run that failed %v wrote results: %v", fails, err)
		}
	}
}

func TestCompareGains(t *testing.T) {
	t.Parallel()
	unit := func(ratio, low, high bench.Float) *ab.Unit {
		return &ab.Unit{Better: bench.Lower, Ratio: ratio, Low: low, High: high}
	}
	for _, test := range []struct {
		whet, author *ab.Unit
		want         string
	}{
		{unit(0.5, 0.4, 0.6), unit(0.8, 0.7, 0.9), "larger"},
		{unit(0.8, 0.7, 0.9), unit(0.5, 0.4, 0.6), "smaller"},
		{unit(0.5, 0.4, 0.6), unit(0.55, 0.5, 0.7), "not distinguishable"},
		{unit(0.5, 0.5, 0.5), unit(0.5, 0.5, 0.5), "equal"},
		{unit(0.5, 0, bench.Float(math.Inf(1))), unit(0.05, 0.04, 0.06), "not known"},
	} {
		if got := compareGains(test.whet, test.author); got != test.want {
			t.Errorf("%v and %v: %s, want %s", test.whet.Ratio, test.author.Ratio, got, test.want)
		}
	}
}

func TestOutcome(t *testing.T) {
	t.Parallel()
	r := &results{
		Fixes: map[string][]attempt{fixStep: {
			{Place: "a.go:1", Title: "string formatted by fmt", Stage: "rewrite", Reason: "no gain\nand more"},
			{Place: "b.go:1", Title: "string formatted by fmt", Stage: "kept"},
			{Place: "b.go:2", Title: "log", Stage: "kept", Review: true},
		}},
		Left: map[string][]attempt{fixStep: {{Place: "b.go:3", Title: "JSON", Reason: "another module"}}},
	}
	for _, test := range []struct {
		change change
		want   string
	}{
		{change{titles: []string{"formatted"}}, "kept"},
		{change{titles: []string{"formatted"}, file: "a.go"}, "dropped: no gain"},
		{change{titles: []string{"log"}, note: "It is never flushed"}, "kept, for review. It is never flushed"},
		{change{titles: []string{"JSON"}}, "no rewrite: another module"},
		{change{titles: []string{"none"}}, "no finding"},
		{change{note: "not done"}, "not done"},
	} {
		if got := test.change.outcome(r); got != test.want {
			t.Errorf("%+v: %q, want %q", test.change, got, test.want)
		}
	}
}
