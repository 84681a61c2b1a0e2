package main

import (
	"bytes"
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

	"github.com/google/go-cmp/cmp"

	"github.com/whet-go/whet/bench"
	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/golden"
)

// TestPages renders every page from the stored results, as a run would.
func TestPages(t *testing.T) {
	t.Parallel()
	const dir = "../../docs/measured/cases"
	for _, s := range studies() {
		r, err := read(dir, s)
		if err != nil {
			t.Errorf("%v: measure it (make cases CASES=%s)", err, s.name)
			continue
		}
		text, err := page(s, r)
		if err != nil {
			t.Errorf("%s: %v", s.name, err)
			continue
		}
		golden.Check(t, filepath.Join(dir, s.name+".md"), text)
	}
	text, err := index(dir)
	if err != nil {
		t.Fatal(err)
	}
	golden.Check(t, filepath.Join(dir, "README.md"), text)
}

// TestStudies checks that the steps that studies name exist.
func TestStudies(t *testing.T) {
	t.Parallel()
	for _, s := range studies() {
		names := map[string]bool{}
		for _, st := range s.steps {
			if names[st.name] {
				t.Errorf("%s: two steps are called %s", s.name, st.name)
			}
			names[st.name] = true
			if kinds := b2i(st.bench != "") + b2i(st.service != nil) + b2i(st.record != nil) + b2i(st.show != nil) +
				b2i(st.fix != nil); kinds != 1 {
				t.Errorf("%s: step %s is of %d kinds", s.name, st.name, kinds)
			}
			if st.show != nil && !names[strings.TrimSuffix(st.show[len(st.show)-1], ".whet")] {
				t.Errorf("%s: step %s shows a recording that is not there", s.name, st.name)
			}
		}
		for _, q := range s.theirs {
			if !names[q.step] {
				t.Errorf("%s: the article is quoted for the step %s, which is not there", s.name, q.step)
			}
			if q.slow <= 0 || q.fast < 0 {
				t.Errorf("%s: quote %+v", s.name, q)
			}
		}
		if _, err := os.Stat(filepath.Join("../../examples", s.name, "go.mod")); err != nil {
			t.Error(err)
		}
		if _, err := fs.Stat(pages, "pages/"+s.name+".md"); err != nil {
			t.Error(err)
		}
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// fixed is a result in the form that whet writes.
func fixed() *ab.Result {
	return &ab.Result{
		Schema:  ab.Schema,
		Machine: ab.Machine{CPU: "Example CPU", Processors: 2, Go: "go1.26", GOOS: "linux", GOARCH: "amd64"},
		Plan:    ab.Plan{Length: 50 * time.Millisecond, Pinned: true},
		Subjects: []ab.SubjectResult{{
			Name: "example.com/x.Pad", Pairs: 1234, Stopped: ab.Precise,
			Units: []ab.Unit{
				{
					Unit: "sec/op", Better: bench.Lower, Verdict: ab.Better, Ratio: 0.5, Low: 0.4, High: 0.625,
					A: ab.Summary{Median: 2e-6}, B: ab.Summary{Median: 1e-6}, Rounds: [2][]float64{{1, 2}, {3, 4}},
				},
				{
					Unit: "B/op", Better: bench.Lower, Verdict: ab.Better, Ratio: bench.Float(math.NaN()), Low: 0,
					High: bench.Float(math.Inf(1)),
					A:    ab.Summary{Median: 2048}, B: ab.Summary{Median: 0},
				},
				{
					Unit: "allocs/op", Better: bench.Lower, Verdict: ab.Same, Ratio: 1, Low: 1, High: 1,
					A: ab.Summary{Median: 3}, B: ab.Summary{Median: 3},
				},
			},
		}},
	}
}

// calls answers instead of whet and records its arguments.
type calls struct {
	dirs []string
	args [][]string
	out  func(args []string) ([]byte, error)
}

func (c *calls) whet(_ context.Context, dir string, args ...string) ([]byte, error) {
	c.dirs, c.args = append(c.dirs, dir), append(c.args, slices.Clone(args))
	return c.out(args)
}

func TestMeasure(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	c := &calls{out: func(args []string) ([]byte, error) {
		if args[0] == "bench" {
			return json.Marshal(fixed())
		}
		return []byte("of " + root + "/x.go at " + args[len(args)-1] + "  \n\nmore\n\nrest\n"), nil
	}}
	b := &session{root: root, bin: filepath.Join(root, "built"), time: 2 * time.Second, log: io.Discard, whet: c.whet}
	s := study{name: "x", steps: []step{
		{name: "rec", record: []string{
			"--load", "http://{addr}/?a=b&c=*", "--", ".bin/x-slow", "-statsd", "{sink}",
			"-addr", "{addr}",
		}},
		{name: "in", record: []string{".", "--bench", "."}, inside: true},
		{name: "top", show: []string{"top", "rec.whet"}, head: 2},
		{name: "bench", bench: "Pad|Join"},
		{name: "service", service: []string{
			".bin/x-slow -addr {addr}", ".bin/x-fast -addr {addr}",
			"--load", "http://{addr}/",
		}},
	}}
	r := newResults()
	if err := b.measure(t.Context(), s, r); err != nil {
		t.Fatal(err)
	}

	rec := c.args[0]
	addr := strings.TrimSuffix(strings.TrimPrefix(rec[4], "http://"), "/?a=b&c=*")
	if !strings.HasPrefix(addr, "127.0.0.1:") || rec[10] != addr {
		t.Errorf("record was not given one free address: %q", rec)
	}
	if rec[6] != filepath.Join(root, "built", "x-slow") || !strings.HasPrefix(rec[8], "127.0.0.1:") || rec[8] == addr {
		t.Errorf("record was not given the service and a sink: %q", rec)
	}
	if in := c.args[1]; c.dirs[1] != filepath.Join(root, "examples", "x") || in[2] != filepath.Join(c.dirs[0], "in.whet") {
		t.Errorf("benchmarks were recorded in %s: %q", c.dirs[1], in)
	}
	if want := []string{"top", "rec.whet"}; !slices.Equal(c.args[2], want) || c.dirs[2] != c.dirs[0] {
		t.Errorf("view ran in %s: %q", c.dirs[2], c.args[2])
	}
	if _, err := os.Stat(c.dirs[0]); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the recordings are still there: %v", err)
	}
	wantBench := []string{
		"bench", "--a", "./examples/x", "--b", "./examples/x", "--b-flags", "-tags fast", "--bench", "Pad|Join",
		"--max-time", "2s", "--precision", "2%", "--json",
	}
	if !slices.Equal(c.args[3], wantBench) || c.dirs[3] != root {
		t.Errorf("bench ran in %s: %q", c.dirs[3], c.args[3])
	}
	wantService := []string{
		"bench", "--service", filepath.Join(root, "built/x-slow") + " -addr {addr}",
		filepath.Join(root, "built/x-fast") + " -addr {addr}",
		"--load", "http://{addr}/", "--same-answers", "--max-time", "10s", "--precision", "2%", "--json",
	}
	if !slices.Equal(c.args[4], wantService) {
		t.Errorf("service: %q", c.args[4])
	}

	wantOutputs := map[string]output{
		"rec": {Command: "whet record -o rec.whet --load 'http://127.0.0.1:8080/?a=b&c=*' -- .bin/x-slow -statsd " +
			"127.0.0.1:8125 -addr 127.0.0.1:8080"},
		"in":  {Command: "cd examples/x && whet record -o in.whet . --bench ."},
		"top": {Command: "whet top rec.whet", Text: "of x.go at rec.whet\n\nmore\n\n…\n"},
	}
	if diff := cmp.Diff(wantOutputs, r.Outputs); diff != "" {
		t.Error(diff)
	}
	want := "whet bench --service '.bin/x-slow -addr {addr}' '.bin/x-fast -addr {addr}' --load 'http://{addr}/' " +
		"--same-answers --max-time 10s --precision 2%"
	if got := r.Comparisons["service"].Command; got != want {
		t.Errorf("shown as %s", got)
	}
	if rounds := r.Comparisons["bench"].Result.Subjects[0].Units[0].Rounds; rounds[0] != nil || rounds[1] != nil {
		t.Errorf("rounds are kept: %v", rounds)
	}
}

// TestDecodeService reads a comparison of services.
func TestDecodeService(t *testing.T) {
	t.Parallel()
	data, err := json.Marshal(map[string]any{
		"schema": servicesSchema, "ab": service(), "failures_differ": false,
		"warnings": []any{map[string]any{"where": "A", "text": "too few answers", "kind": "few"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	c, err := decode(data)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(diag.Warnings{{Kind: "few", Where: "A", Text: "too few answers"}}, c.Warnings); diff != "" ||
		c.Result.Subjects[0].Units[0].Unit != rate {
		t.Errorf("%s%+v", diff, c.Result)
	}
	data = bytes.Replace(data, []byte(`"failures_differ":false`), []byte(`"failures_differ":true`), 1)
	if _, err := decode(data); err == nil || !strings.Contains(err.Error(), "fail more often") {
		t.Errorf("sides that fail differently: error %v", err)
	}
}

// TestFix fixes an example in a copy.
func TestFix(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	example := filepath.Join(root, "examples", "x")
	if err := os.MkdirAll(example, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(example, "x.go"), []byte("package x\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	result := map[string]any{
		"schema": fixSchema, "total": map[string]any{"ab": fixed()},
		"attempts": []any{
			map[string]any{
				"finding": map[string]any{
					"title": "one", "needs": "review",
					"places": []any{map[string]any{"file": "x.go", "line": 3}},
				}, "stage": "kept",
			},
			map[string]any{"finding": map[string]any{"title": "two"}, "stage": "measure", "reason": "no gain"},
		},
	}
	c := &calls{out: func(args []string) ([]byte, error) {
		switch args[0] {
		case "fix":
			return json.Marshal(result)
		case "bench":
			return json.Marshal(fixed())
		}
		return nil, nil
	}}
	b := &session{
		root: root, bin: filepath.Join(root, "built"), time: time.Second, log: io.Discard,
		whet: func(ctx context.Context, dir string, args ...string) ([]byte, error) {
			if args[0] == "fix" {
				// whet runs in a copy of the example.
				if text, err := os.ReadFile(filepath.Join(dir, "x.go")); err != nil ||
					string(text) != "package x\n" || dir == example {
					t.Errorf("whet fix in %s: %q, %v", dir, text, err)
				}
			}
			return c.whet(ctx, dir, args...)
		},
	}
	s := study{
		name: "x", steps: []step{{name: "fix", fix: []string{"--review"}}, {name: "setting", bench: ".", flags: "A=b"}},
	}
	r := newResults()
	if err := b.measure(t.Context(), s, r); err != nil {
		t.Fatal(err)
	}
	if want := []string{"fix", "fix.whet", "--apply", "--review", "--force", "--json"}; !slices.Equal(c.args[1], want) {
		t.Errorf("ran %q", c.args[1])
	}
	if bench := c.args[2]; bench[4] != c.dirs[1] || bench[6] != "A=b" {
		t.Errorf("the copy is not what is compared: %q", bench)
	}
	if got, want := r.Comparisons["fix"].Command,
		"cd examples/x && whet record -o fix.whet . --bench .\n$ whet fix fix.whet --apply --review"; got != want {
		t.Errorf("shown as %s", got)
	}
	want := []attempt{
		{Place: "x.go:3", Title: "one", Review: true, Stage: "kept"},
		{Title: "two", Stage: "measure", Reason: "no gain"},
	}
	if diff := cmp.Diff(want, r.Fixes["fix"]); diff != "" {
		t.Error(diff)
	}

	delete(result, "total")
	if err := b.measure(t.Context(), s, newResults()); err == nil || !strings.Contains(err.Error(), "kept nothing") {
		t.Errorf("with nothing kept: error %v", err)
	}
}

// TestMeasureFails checks that a failed run writes no results.
func TestMeasureFails(t *testing.T) {
	t.Parallel()
	broken := errors.New("exit status 1")
	with := func(change func(*ab.Result)) func([]string) ([]byte, error) {
		return func([]string) ([]byte, error) {
			r := fixed()
			change(r)
			return json.Marshal(r)
		}
	}
	for name, test := range map[string]struct {
		out  func([]string) ([]byte, error)
		want string
	}{
		"exit":        {func([]string) ([]byte, error) { return nil, broken }, "step s: exit status 1"},
		"no JSON":     {func([]string) ([]byte, error) { return []byte("text"), nil }, "read result of whet bench"},
		"schema":      {with(func(r *ab.Result) { r.Schema = "whet.bench-ab/9" }), `schema "whet.bench-ab/9"`},
		"interrupted": {with(func(r *ab.Result) { r.Interrupted = true }), "interrupted"},
		"failed":      {with(func(r *ab.Result) { r.Subjects[0].Error = "panic" }), "x.Pad: panic"},
	} {
		c := &calls{out: test.out}
		b := &session{root: t.TempDir(), time: time.Second, log: io.Discard, whet: c.whet}
		err := b.measure(t.Context(), study{name: "x", steps: []step{{name: "s", bench: "."}}}, newResults())
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want one with %q", name, err, test.want)
		}
	}
}

func TestTables(t *testing.T) {
	t.Parallel()
	p := &pageData{
		study: study{theirs: []quote{{"b", "Pad", secOp, 3e-6, 2e-7}, {"b", "Pad", allocsOp, 46, 3}}},
		results: &results{Comparisons: map[string]comparison{
			"b":       {Command: "whet bench", Result: fixed()},
			"service": {Command: "whet bench --service", Result: service()},
		}, Fixes: map[string][]attempt{"fix": {
			{Place: "pad.go:7", Title: "string put in front of another", Stage: "kept", Review: true},
			{Place: "pad.go:9", Title: "value boxed | twice", Stage: "measure", Reason: "no gain\nand more"},
		}}},
	}
	for _, test := range []struct {
		name string
		make func() (string, error)
		want string
	}{
		{"times", func() (string, error) { return p.unitTable("b", "fast", secOp) }, `
| benchmark | slow | fast | gain | 95% interval | article: slow | fast | gain |
|---|--:|--:|--:|--:|--:|--:|--:|
| Pad | 2.000µs | 1.000µs | 2.00× | 1.60× – 2.50× | 3.000µs | 200.0ns | 15.0× |
`},
		{"allocs", func() (string, error) { return p.allocTable("b", "fast") }, `
| benchmark | B/op: slow | fast | allocs/op: slow | fast | article, allocs/op: slow | fast |
|---|--:|--:|--:|--:|--:|--:|
| Pad | 2048B | 0B | 3 | 3 | 46 | 3 |
`},
		{"fixes", func() (string, error) { return p.fixTable("fix") }, `
| line | finding | outcome |
|---|---|---|
| ` + "`pad.go:7`" + ` | string put in front of another | kept, for review |
| ` + "`pad.go:9`" + ` | value boxed \| twice | dropped: no gain |
`},
		{"service", func() (string, error) { return p.serviceTable("service", "slow", "fast") }, `
|  | slow | fast | gain | 95% interval |
|---|--:|--:|--:|--:|
| CPU time per request | 40.00µs | 40.00µs | 1.00×, not decided | 0.90× – 1.10× |
| requests per second | 10 000 | 25 000 | 2.50× | 2.40× – 2.60× |
`},
	} {
		got, err := test.make()
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		if diff := cmp.Diff(strings.TrimPrefix(test.want, "\n"), got); diff != "" {
			t.Errorf("%s:\n%s", test.name, diff)
		}
	}
	for _, missing := range []func() (string, error){
		func() (string, error) { return p.unitTable("other", "fast", secOp) },
		func() (string, error) { return p.unitTable("b", "fast", "other/op") },
		func() (string, error) { return p.allocTable("service", "fast") },
		func() (string, error) { return p.serviceTable("b", "a", "b") },
		func() (string, error) { return p.console("other") },
		func() (string, error) { return p.fixTable("b") },
	} {
		if text, err := missing(); err == nil {
			t.Errorf("a figure that is not there was shown: %q", text)
		}
	}
}

func service() *ab.Result {
	return &ab.Result{Schema: ab.Schema, Subjects: []ab.SubjectResult{{Name: "service", Units: []ab.Unit{
		{
			Unit: rate, Better: bench.Higher, Verdict: ab.Better, Ratio: 2.5, Low: 2.4, High: 2.6,
			A: ab.Summary{Median: 1e4}, B: ab.Summary{Median: 2.5e4},
		},
		{
			Unit: cpuReq, Better: bench.Lower, Verdict: ab.Undecided, Ratio: 1, Low: 1 / 1.1, High: 1 / 0.9,
			A: ab.Summary{Median: 4e-5}, B: ab.Summary{Median: 4e-5},
		},
	}}}}
}

func TestTimes(t *testing.T) {
	t.Parallel()
	for gain, want := range map[float64]string{
		0.5: "0.50×", 1.004: "1.00×", 9.994: "9.99×", 9.996: "10.0×", 12.84: "12.8×", 128.4: "128×", 999.6: "1 000×",
		26123: "26 100×", 1234567: "1 230 000×", math.Inf(1): "all",
	} {
		if got := times(gain); got != want {
			t.Errorf("times(%v) = %q, want %q", gain, got, want)
		}
	}
	if got := times(math.NaN()); got != "–" {
		t.Errorf("times(NaN) = %q", got)
	}
}

func TestValue(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		v    float64
		unit string
		want string
	}{
		{1.5e-6, secOp, "1.500µs"},
		{0.0405, "p99-sec", "40.50ms"},
		{0, secOp, "0.000s"},
		{46, allocsOp, "46"},
		{0, allocsOp, "0"},
		{2.5, allocsOp, "2.5"},
		{9999, allocsOp, "9999"},
		{54737, allocsOp, "54 740"},
		{887.34, rate, "887.3"},
		{0.88731, rate, "0.8873"},
		{1090.9231, rate, "1 091"},
		{1234567, rate, "1 235 000"},
		{112, bytesOp, "112B"},
		{2763.4, bytesOp, "2 763B"},
		{1 << 20, bytesOp, "1.000MiB"},
		{math.NaN(), rate, "–"},
		{math.Inf(1), secOp, "–"},
	} {
		if got := value(test.v, test.unit); got != test.want {
			t.Errorf("value(%v, %s) = %q, want %q", test.v, test.unit, got, test.want)
		}
	}
}

func TestVerdict(t *testing.T) {
	t.Parallel()
	u := fixed().Subjects[0].Units
	for i, want := range []string{"2.00×", "to none", "no difference"} {
		if got, _ := verdict(&u[i]); got != want {
			t.Errorf("%s: %q, want %q", u[i].Unit, got, want)
		}
	}
}

func TestArguments(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"nothing"}, "no case \"nothing\": there are leftpad, "},
		{[]string{"-time", "0s"}, "time 0s"},
		{[]string{"-whet", filepath.Join(t.TempDir(), "whet")}, "whet is not built (make build)"},
		{[]string{"-other"}, "-other"},
	} {
		err := run(t.Context(), test.args, io.Discard)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v: error %v, want one with %q", test.args, err, test.want)
		}
	}
}

// TestWrite writes a study and reads it again.
func TestWrite(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := studies()[0]
	if err := write(dir, s, &results{Schema: schema}); err == nil {
		t.Error("a page without its figures was written")
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); left != nil {
		t.Errorf("of a page that failed there is %v", left)
	}
	if err := os.MkdirAll(filepath.Join(dir, "results"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"{", `{"schema":"whet.cases/0"}`} {
		if err := os.WriteFile(resultsFile(dir, s), []byte(bad), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := read(dir, s); err == nil || !strings.Contains(err.Error(), "leftpad.json") {
			t.Errorf("%s: error %v, want one that names the file", bad, err)
		}
	}
}

func TestShellLine(t *testing.T) {
	t.Parallel()
	got := shellLine([]string{"whet", "it's", "", "a b", "{addr}", "plain/x.y:1"}, false)
	if want := `whet 'it'\''s' '' 'a b' '{addr}' plain/x.y:1`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
