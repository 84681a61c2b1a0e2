package builds_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/perf/benchfmt"

	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/bench/builds"
)

// write writes files below dir; "" removes one.
func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if text == "" {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git",
		append([]string{"-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "maintenance.auto=false"}, args...)...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// repository returns a module in a git repository with a commit and uncommitted changes: Sum
// becomes many times slower, Gone is replaced by New, and package broken no longer builds.
func repository(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("needs git")
	}
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"go.mod": "module example.com/m\n\ngo 1.24\n",
		"sum/sum.go": "package sum\n\nfunc Sum(n int) (s int) {\n\tfor i := range n {\n\t\ts += i * " +
			"s\n\t}\n\treturn s\n}\n",
		"sum/sum_test.go": "package sum\n\nimport \"testing\"\n\nvar Kept int\n\nfunc BenchmarkSum(b *testing.B) " +
			"{\n\tfor b.Loop() {\n\t\tKept += Sum(1000)\n\t}\n}\n\nfunc BenchmarkGone(b *testing.B) {\n\tfor " +
			"b.Loop() {\n\t}\n}\n",
		"broken/b.go": "package broken\n",
		"broken/b_test.go": "package broken\n\nimport \"testing\"\n\nfunc BenchmarkB(b *testing.B) {\n\tfor " +
			"b.Loop() {\n\t}\n}\n",
		"panics/p.go": "package panics\n\nconst Bad = false\n",
		"panics/p_test.go": "package panics\n\nimport \"testing\"\n\nfunc BenchmarkP(b *testing.B) {\n\tif Bad " +
			"{\n\t\tpanic(\"oh\")\n\t}\n\tfor b.Loop() {\n\t}\n}\n",
		"testless/without.go": "package testless\n",
	})
	git(t, dir, "init", "-q")
	git(t, dir, "add", ".")
	git(t, dir, "commit", "-q", "-m", "first")
	sum, err := os.ReadFile(filepath.Join(dir, "sum/sum.go"))
	if err != nil {
		t.Fatal(err)
	}
	test, err := os.ReadFile(filepath.Join(dir, "sum/sum_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, map[string]string{
		"sum/sum.go":      strings.Replace(string(sum), "range n", "range 30*n", 1),
		"sum/sum_test.go": strings.Replace(string(test), "Gone", "New", 1),
		"broken/b.go":     "package broken\n\nvar x int = \"\"\n",
		"panics/p.go":     "package panics\n\nconst Bad = true\n",
	})
	return dir
}

// quick returns options that end a comparison early, which takes longer on a busy machine.
func quick() ab.Options {
	return ab.Options{
		MaxTime: 10 * time.Minute, Trial: time.Millisecond, Plans: []ab.Plan{{Length: 5 * time.Millisecond}},
		Precision: 0.3,
	}
}

// TestRun compares a commit with uncommitted changes.
func TestRun(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	dir := repository(t)
	before := git(t, dir, "status", "--short")
	var stages []string
	r, err := builds.Run(t.Context(), builds.Side{Dir: dir, Ref: "HEAD"}, builds.Side{Dir: dir}, builds.Options{
		AB: quick(), Stage: func(s string) { stages = append(stages, s) },
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Subjects) != 1 || r.Subjects[0].Name != "example.com/m/sum.Sum" || r.Subjects[0].Error != "" {
		t.Fatalf("%+v", r.Subjects)
	}
	if u := r.Subjects[0].Units[0]; len(u.Rounds[0]) == 0 || u.B.Median <= u.A.Median {
		t.Errorf("%+v", u)
	}
	if !slices.Equal(r.OnlyA, []string{"example.com/m/sum.Gone", "example.com/m/broken.B", "example.com/m/panics.P"}) &&
		len(r.OnlyA) == 0 {
		t.Errorf("only in A: %v", r.OnlyA)
	}
	if !slices.Contains(r.OnlyB, "example.com/m/sum.New") {
		t.Errorf("only in B: %v", r.OnlyB)
	}
	var failures []string
	for _, f := range r.Failures {
		failures = append(failures, f.String())
	}
	if got := strings.Join(failures, "\n"); !strings.Contains(got, "B: example.com/m/broken: does not build") ||
		!strings.Contains(got, "B: BenchmarkP of example.com/m/panics: panic: oh") || len(r.Failures) != 2 || !r.Failed() {
		t.Errorf("failures:\n%s", got)
	}
	if r.Sides != [2]string{"HEAD", dir} {
		t.Errorf("sides %q", r.Sides)
	}
	if r.A.Commit == "" || r.B.Commit != "" || len(r.A.Binaries) == 0 {
		t.Errorf("%+v\n%+v", r.A, r.B)
	}
	if len(stages) < 4 {
		t.Errorf("stages %v", stages)
	}
	// The user's files and repository are unchanged.
	if after := git(t, dir, "status", "--short"); after != before {
		t.Errorf("status before\n%safter\n%s", before, after)
	}
	if trees := git(t, dir, "worktree", "list"); strings.Count(trees, "\n") != 1 {
		t.Errorf("worktrees left:\n%s", trees)
	}

	// The output is in benchmark format.
	var out bytes.Buffer
	if err := r.WriteFormat(&out); err != nil {
		t.Fatal(err)
	}
	sides := map[string]int{}
	reader := benchfmt.NewReader(&out, "out")
	for reader.Scan() {
		res, ok := reader.Result().(*benchfmt.Result)
		if !ok {
			t.Fatalf("%v", reader.Result())
		}
		sec, _ := res.Value("sec/op")
		if sec <= 0 || sec > 10 { // nanoseconds would be larger, and a round may stall for a while
			t.Errorf("%v sec/op", sec)
		}
		sides[res.GetConfig("side")]++
	}
	if n := r.Subjects[0].Pairs; sides["a"] != n || sides["b"] != n {
		t.Errorf("%v, want %d each", sides, n)
	}
}

// TestVaryLayout checks that a function lies in different places in the pairs of a comparison that varies the
// layout, in the same one otherwise, and that the flags for the linker are kept.
func TestVaryLayout(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"go.mod":  "module example.com/m\n\ngo 1.24\n",
		"text.go": "package m\n\nvar Version = \"\"\n\n//go:noinline\nfunc Work() int { return len(Version) }\n",
		"text_test.go": `package m

import (
	"reflect"
	"testing"
)

var kept int

func benchmark(b *testing.B) {
	for range b.N {
		kept += Work()
	}
	b.ReportMetric(float64(reflect.ValueOf(Work).Pointer()), "address")
	b.ReportMetric(float64(len(Version)), "version")
}

func BenchmarkWhere(b *testing.B) { benchmark(b) }
func BenchmarkOther(b *testing.B) { benchmark(b) }
`,
	})
	for _, vary := range []bool{false, true} {
		r, err := builds.Run(t.Context(), builds.Side{Dir: dir},
			builds.Side{Dir: dir, Flags: []string{"-ldflags=-X example.com/m.Version=seven"}},
			builds.Options{AB: quick(), VaryLayout: vary, Only: []string{"Where"}})
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Subjects) != 1 || r.Subjects[0].Error != "" || r.Subjects[0].VariedLayout != vary {
			t.Fatalf("varied %v: %+v", vary, r.Subjects)
		}
		for _, u := range r.Subjects[0].Units {
			a := slices.Compact(slices.Sorted(slices.Values(u.Rounds[ab.A])))
			switch {
			case u.Unit == "address" && (len(a) > 1) != vary:
				t.Errorf("varied %v: A's function at %v", vary, u.Rounds[ab.A])
			case u.Unit == "version" && (u.A.Median != 0 || u.B.Median != 5):
				t.Errorf("varied %v: lengths of the version %v and %v", vary, u.A.Median, u.B.Median)
			}
		}
	}
}

// TestBenchmarksFrom uses the changed test files for the commit, too.
func TestBenchmarksFrom(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	dir := repository(t)
	from := ab.B
	r, err := builds.Run(t.Context(), builds.Side{Dir: dir, Ref: "HEAD"}, builds.Side{Dir: dir}, builds.Options{
		Patterns: []string{"./sum"}, BenchmarksFrom: &from, AB: quick(),
	})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range r.Subjects {
		names = append(names, c.Name)
	}
	if !slices.Equal(names, []string{"Sum", "New"}) || len(r.OnlyA)+len(r.OnlyB)+len(r.Failures) > 0 {
		t.Errorf("%v, only %v %v, %v", names, r.OnlyA, r.OnlyB, r.Failures)
	}
}

// TestFlags compares two environments of the same program, and continues after an interruption.
func TestFlags(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	dir := repository(t)
	journal := filepath.Join(t.TempDir(), "deep", "journal")
	o := builds.Options{Patterns: []string{"./sum"}, Bench: "Sum", AB: quick(), Journal: journal}
	o.AB.Precision, o.AB.MaxTime = 1e-6, 300*time.Millisecond
	a, b := builds.Side{Dir: dir}, builds.Side{Dir: dir, Env: []string{"GOGC=off"}}
	first, err := builds.Run(t.Context(), a, b, o)
	if err != nil || len(first.Warnings) != 0 {
		t.Fatal(first, err)
	}
	same, err := builds.Run(t.Context(), a, a, builds.Options{Patterns: o.Patterns, Bench: o.Bench, AB: o.AB})
	if err != nil || len(same.Warnings) != 1 || !strings.Contains(same.Warnings[0].Text, "the same programs") {
		t.Errorf("%+v, %v", same, err)
	}
	o.Continue = true
	o.AB.MaxTime = time.Hour
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	o.AB.Progress = func(p ab.Progress) {
		if p.Pairs > first.Subjects[0].Pairs {
			cancel()
		}
	}
	again, err := builds.Run(ctx, a, b, o)
	o.AB.Progress = nil
	if err != nil || again.Subjects[0].Pairs <= first.Subjects[0].Pairs {
		t.Errorf("%d pairs, then %d in all, %v", first.Subjects[0].Pairs, again.Subjects[0].Pairs, err)
	}
	o.AB.Precision = 0.9
	o.AB.MaxTime = 10 * time.Minute // it ends once it knows enough, which takes longer on a busy machine
	if _, err := builds.Run(t.Context(), a, b, o); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(journal); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the journal of what is known stays: %v", err)
	}
	o.AB.MaxTime = time.Second
	o.Continue, o.AB.Precision = false, 1e-6
	if _, err := builds.Run(t.Context(), a, b, o); err != nil {
		t.Error(err)
	}
	o.Continue = true
	var je *ab.JournalError
	if _, err := builds.Run(t.Context(), a, a, o); !errors.As(err, &je) || je.Hint() == "" {
		t.Errorf("the journal of other builds: %v", err)
	}
	o.Journal = filepath.Join(t.TempDir(), "none")
	if _, err := builds.Run(t.Context(), a, b, o); !errors.As(err, &je) {
		t.Errorf("no journal: %v", err)
	}
}

func TestNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	dir := repository(t)
	r, err := builds.Run(t.Context(), builds.Side{Dir: dir, Ref: "HEAD"}, builds.Side{Dir: dir}, builds.Options{
		Bench: "Nothing", AB: quick(),
	})
	if !errors.Is(err, builds.ErrNoCommon) || r == nil {
		t.Errorf("%+v, %v", r, err)
	}
	if _, err := builds.Run(t.Context(), builds.Side{Dir: dir, Ref: "nonsense"}, builds.Side{Dir: dir},
		builds.Options{AB: quick()}); err == nil || !strings.Contains(err.Error(), "nonsense") {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := builds.Run(ctx, builds.Side{Dir: dir, Ref: "HEAD"}, builds.Side{Dir: dir},
		builds.Options{AB: quick()}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if trees := git(t, dir, "worktree", "list"); strings.Count(trees, "\n") != 1 {
		t.Errorf("worktrees left:\n%s", trees)
	}
}
