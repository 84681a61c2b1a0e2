package history_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/whet-go/whet/bench/history"
)

// repository creates a git repository with the given number of commits, a minute apart, and returns
// its directory and the commits' hashes.
func repository(t *testing.T, commits int) (dir string, hashes []string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git on the path")
	}
	dir = t.TempDir()
	var history strings.Builder
	for i := range commits {
		code, subject := fmt.Sprintf("package p // %d\n", i), fmt.Sprintf("change %d", i)
		at := time.Date(2026, 1, 2, 3, i, 0, 0, time.UTC).Unix()
		fmt.Fprintf(&history, "commit refs/heads/trunk\ncommitter test <test@example.com> %d +0000\ndata %d\n%s\nM 644 "+
			"inline code.go\ndata %d\n%s\n", at, len(subject), subject, len(code), code)
	}
	run := func(stdin string, args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "git", args...)
		cmd.Dir, cmd.Stdin = dir, strings.NewReader(stdin)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	run("", "init", "-q", "-b", "trunk")
	run(history.String(), "fast-import", "--quiet")
	run("", "reset", "-q", "--hard")
	return dir, strings.Fields(run("", "rev-list", "--reverse", "HEAD"))
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// results returns n measurements of two benchmarks, the first of which takes ns.
func results(r *rand.Rand, n int, ns float64) string {
	var b strings.Builder
	b.WriteString("goos: linux\ngoarch: amd64\npkg: example.com/encode\ncpu: Some Processor\n")
	for range n {
		fmt.Fprintf(&b, "BenchmarkEncode/format=json-8 1000 %.6g ns/op %d B/op %d allocs/op\n",
			ns*math.Exp(0.01*r.NormFloat64()), 64, 2)
		fmt.Fprintf(&b, "BenchmarkDecode-8 1000 %.6g ns/op 0 B/op 0 allocs/op\n", 500*math.Exp(0.01*r.NormFloat64()))
	}
	b.WriteString("PASS\n")
	return b.String()
}

func add(t *testing.T, f history.Filing, text string) string {
	t.Helper()
	f.Inputs, f.Stdin = []string{"-"}, strings.NewReader(text)
	paths, warnings, err := history.Add(t.Context(), f)
	if err != nil || len(paths) != 1 || len(warnings) > 0 {
		t.Fatal(paths, warnings, err)
	}
	return paths[0]
}

// TestHistory stores the results of commits with a step, in another order than that of the commits,
// and checks that the step is found.
func TestHistory(t *testing.T) {
	repo, hashes := repository(t, 24)
	dir := filepath.Join(repo, "results")
	r := rand.New(rand.NewPCG(1, 1))
	for _, i := range r.Perm(len(hashes)) {
		ns := 1000.0
		if i >= 14 {
			ns = 1100
		}
		add(t, history.Filing{Dir: dir, Repository: repo, Commit: hashes[i], Go: "go1.26.0"}, results(r, 6, ns))
	}
	report, err := history.Read(t.Context(), dir, history.Options{Repository: repo})
	if err != nil {
		t.Fatal(err)
	}
	if report.Order != history.OrderGit || report.Runs != 24 || len(report.Series) != 6 || len(report.Machines) != 1 ||
		len(report.Warnings) != 0 {
		t.Errorf("%+v", report)
	}
	for i, c := range report.Commits {
		if c.Hash != hashes[i] || c.Subject != fmt.Sprintf("change %d", i) {
			t.Errorf("commit %d is %+v", i, c)
		}
	}
	if want := (history.Machine{
		CPU: "Some Processor", GOOS: "linux", GOARCH: "amd64", GOMAXPROCS: 8,
		Go: "go1.26.0",
	}); report.Machines[0] != want {
		t.Errorf("machine %+v", report.Machines[0])
	}
	if len(report.Changes) != 1 {
		t.Fatalf("changes: %+v", report.Changes)
	}
	c := report.Changes[0]
	s := report.Series[c.Series]
	if s.Benchmark != "Encode/format=json" || s.Unit != "sec/op" || c.After != 13 || c.At != 14 ||
		c.Verdict != history.Worse ||
		c.Low > 0.1 || c.High < 0.1 || c.Low < 0.08 || c.High > 0.12 || math.Abs(float64(c.Delta)-0.1) > 0.02 || c.Q > 0.05 {
		t.Errorf("%+v of %s %s", c, s.Benchmark, s.Unit)
	}
	data, err := json.Marshal(report)
	if err != nil {
		t.Fatal(err)
	}
	back := new(history.Report)
	if err := json.Unmarshal(data, back); err != nil {
		t.Fatal(err)
	}
	if again, err := json.Marshal(back); err != nil || string(again) != string(data) {
		t.Errorf("JSON loses something: %v", err)
	}

	// Without the repository, the order is by time, which is the same here.
	elsewhere, err := history.Read(t.Context(), dir, history.Options{Repository: t.TempDir()})
	if err != nil || elsewhere.Order != history.OrderTime {
		t.Fatal(err)
	}
	if diff := cmp.Diff(report.Changes, elsewhere.Changes); diff != "" {
		t.Error(diff)
	}
}

// TestMachines checks that results of different machines are kept separate.
func TestMachines(t *testing.T) {
	repo, hashes := repository(t, 12)
	dir := t.TempDir()
	r := rand.New(rand.NewPCG(2, 2))
	for i, h := range hashes {
		f := history.Filing{Dir: dir, Repository: repo, Commit: h, Go: "go1.25.0"}
		text := results(r, 3, 1000)
		if i >= 6 { // a faster machine
			text = strings.ReplaceAll(results(r, 3, 500), "Some Processor", "Another")
		}
		add(t, f, text)
	}
	report, err := history.Read(t.Context(), dir, history.Options{Repository: repo})
	if err != nil || len(report.Machines) != 2 || len(report.Series) != 12 || len(report.Changes) != 0 {
		t.Fatalf("%v: %d machines, %d series, changes %+v", err, len(report.Machines), len(report.Series), report.Changes)
	}
}

// TestBase measures each commit together with a base on days of very different speed: the series are of
// ratios, and show the step that raw values hide.
func TestBase(t *testing.T) {
	repo, hashes := repository(t, 16)
	dir := t.TempDir()
	r := rand.New(rand.NewPCG(3, 3))
	for i, h := range hashes[1:] {
		day := math.Exp(0.3 * r.NormFloat64())
		ns := 1000.0
		if i+1 >= 10 {
			ns = 950
		}
		base := filepath.Join(t.TempDir(), "base.txt")
		write(t, base, results(r, 12, 1000*day))
		if i%2 == 0 {
			add(t, history.Filing{Dir: dir, Repository: repo, Commit: h, Base: base, BaseCommit: hashes[0]},
				results(r, 12, ns*day))
			continue
		}
		// As whet bench writes two builds, B being the working tree or a commit.
		both := "side: a\ncommit: " + hashes[0] + "\n" + results(r, 12, 1000*day) + "side: b\ncommit:"
		if i%4 == 1 {
			both += " " + h
		}
		add(t, history.Filing{Dir: dir, Repository: repo, Commit: h}, both+"\n"+results(r, 12, ns*day))
	}
	report, err := history.Read(t.Context(), dir, history.Options{Repository: repo})
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Changes) != 1 {
		t.Fatalf("changes: %+v", report.Changes)
	}
	c := report.Changes[0]
	s := report.Series[c.Series]
	if s.Base != hashes[0] || s.Unit != "sec/op" || report.Commits[c.At].Hash != hashes[10] ||
		c.Verdict != history.Better || c.Low > -0.05 || c.High < -0.05 {
		t.Errorf("%+v, base %s", c, s.Base)
	}
	for _, s := range report.Series {
		if ratio := s.Benchmark == "Encode/format=json" || s.Unit == "sec/op"; ratio != (s.Base != "") {
			t.Errorf("%s %s has the base %q", s.Benchmark, s.Unit, s.Base)
		}
	}
	for _, p := range s.Points {
		want := 1.0
		if p.Commit >= 9 { // of the 15 measured
			want = 0.95
		}
		if math.Abs(float64(p.Center)-want) > 0.02 || float64(p.Low) > want+0.005 || float64(p.High) < want-0.005 ||
			p.N != 12 || p.Base <= 0 {
			t.Errorf("point %+v, want %v", p, want)
		}
	}
}

// TestAdd checks that files are never replaced, name the commit, and contain the results.
func TestAdd(t *testing.T) {
	repo, hashes := repository(t, 2)
	dir := filepath.Join(repo, "bench")
	r := rand.New(rand.NewPCG(4, 4))
	one := results(r, 2, 100)
	path := add(t, history.Filing{Dir: dir, Repository: repo, Go: "go1.26.1"}, one)
	if want := "20260102T030100Z-" + hashes[1][:12] + ".txt"; filepath.Base(path) != want {
		t.Errorf("file %s, want %s", path, want)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"commit: " + hashes[1] + "\ncommit-time: 2026-01-02T03:01:00Z\n", "\ngo: go1.26.1\n",
		"\ncpu: Some Processor\n", "\nBenchmarkDecode-8 1000 ",
	} {
		if !strings.Contains(string(data), want) {
			t.Errorf("no %q in\n%s", want, data)
		}
	}
	if strings.Contains(string(data), "PASS") || strings.Contains(string(data), "dirty") {
		t.Errorf("%s", data)
	}

	file := func(f history.Filing, text string) error {
		f.Dir, f.Repository = dir, repo
		if f.Inputs == nil {
			f.Inputs = []string{"-"}
		}
		f.Stdin = strings.NewReader(text)
		_, _, err := history.Add(t.Context(), f)
		return err
	}
	if err := file(history.Filing{Go: "go1.26.1"}, one); !errors.Is(err, history.ErrFiled) {
		t.Errorf("the same again: %v", err)
	}
	// Another run of the commit, and another commit.
	if p := add(t, history.Filing{Dir: dir, Repository: repo}, results(r, 2, 100)); !strings.HasSuffix(p,
		hashes[1][:12]+"-2.txt") {
		t.Errorf("second run: %s", p)
	}
	if p := add(t, history.Filing{Dir: dir, Repository: repo, Commit: "HEAD~1"},
		one); !strings.Contains(p, hashes[0][:12]) {
		t.Errorf("HEAD~1: %s", p)
	}

	// Files that the go command does not build do not matter, others do.
	write(t, filepath.Join(repo, "notes.txt"), "x")
	if err := file(history.Filing{}, results(r, 1, 1)); err != nil {
		t.Errorf("a new text file: %v", err)
	}
	write(t, filepath.Join(repo, "new.go"), "package p\n")
	dirty := (*history.DirtyError)(nil)
	if err := file(history.Filing{}, results(r, 1, 1)); !errors.As(err, &dirty) ||
		!slices.Equal(dirty.Files, []string{"new.go"}) {
		t.Errorf("a new Go file: %v", err)
	}
	write(t, filepath.Join(repo, "code.go"), "package q\n")
	if err := file(history.Filing{}, results(r, 1, 1)); !errors.As(err, &dirty) || len(dirty.Files) != 2 ||
		!strings.Contains(err.Error(), "and 1 more") {
		t.Errorf("a changed file: %v", err)
	}
	if p := add(t, history.Filing{Dir: dir, Repository: repo, Dirty: true}, one); !strings.HasSuffix(p, "-dirty.txt") {
		t.Errorf("dirty: %s", p)
	}

	for _, tt := range []struct {
		f    history.Filing
		text string
		want string
	}{
		{history.Filing{Commit: "nothing"}, one, `no commit "nothing"`},
		{history.Filing{Commit: "-x"}, one, `no commit "-x"`},
		{history.Filing{Commit: "HEAD"}, "hello\n", "standard input: no benchmark results"},
		{history.Filing{Commit: "HEAD"}, "commit: 1234\nBenchmarkA 1 1 ns/op\n", "another commit, 1234, not " + hashes[1]},
		{history.Filing{Commit: "HEAD"}, "commit: " + hashes[1] + "+changes\n" + one, history.ErrChanged.Error()},
		{history.Filing{Commit: "HEAD"}, "side: a\n" + one, history.ErrNoBase.Error()},
		{
			history.Filing{Commit: "HEAD", BaseCommit: "HEAD"},
			"side: a\ncommit: 1234\n" + one,
			"another commit, 1234, not " + hashes[1],
		},
		{history.Filing{Commit: "HEAD", Base: "x", BaseCommit: "gone"}, one, `no commit "gone"`},
		{history.Filing{Commit: "HEAD", Inputs: []string{"absent"}}, one, "open absent"},
		{history.Filing{Commit: "HEAD", Base: "x", Inputs: make([]string, 2)}, one, "belongs to one file"},
		{history.Filing{Commit: "HEAD"}, strings.Repeat("x", 1<<17), "token too long"},
	} {
		if err := file(tt.f, tt.text); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("error %v, want %q", err, tt.want)
		}
	}
	if _, _, err := history.Add(t.Context(), history.Filing{Dir: dir, Repository: t.TempDir()}); !errors.Is(err,
		history.ErrNoRepository) {
		t.Errorf("no repository: %v", err)
	}
	report, err := history.Read(t.Context(), dir, history.Options{Repository: repo})
	if err != nil || len(report.Commits) != 3 || !report.Commits[2].Dirty ||
		report.Commits[2].Short() != hashes[1][:12]+"+" || report.Runs != 5 {
		t.Errorf("%v: %+v", err, report)
	}
}

// TestReadProblems checks that problems in a directory are reported, and that the rest is read.
func TestReadProblems(t *testing.T) {
	dir := t.TempDir()
	if _, err := history.Read(t.Context(), dir, history.Options{}); !errors.Is(err, history.ErrEmpty) {
		t.Errorf("empty: %v", err)
	}
	if _, err := history.Read(t.Context(), filepath.Join(dir, "absent"),
		history.Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("absent: %v", err)
	}
	name := func(n int) string { return filepath.Join(dir, fmt.Sprintf("20260102T030%d00Z-abcdef123456.txt", n)) }
	head := "commit: abcdef123456\ncommit-time: 2026-01-02T03:00:00Z\n"
	write(t, name(1), head+"BenchmarkA 1 10 ns/op\nBenchmarkA x\nBenchmarkA 1 NaN ns/op\n")
	write(t, name(2), "BenchmarkA 1 10 ns/op\n")
	write(t, name(3), "commit: --all\ncommit-time: 2026-01-02T03:00:00Z\nBenchmarkA 1 10 ns/op\n")
	write(t, name(4), "commit: abcdef123456\ncommit-time: 2026-01-03T03:00:00Z\nBenchmarkA 1 10 ns/op\n")
	write(t, name(5), head+"BenchmarkA 1 10 ns/op\ncommit: 123456\nBenchmarkA 1 11 ns/op\n")
	write(t, filepath.Join(dir, "readme.txt"), "BenchmarkA 1 10 ns/op\n")
	report, err := history.Read(t.Context(), dir, history.Options{Repository: dir})
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(report.Warnings.Texts(), "\n")
	for _, want := range []string{
		"Z-abcdef123456.txt:4: parsing iteration count", "NaN sec/op is not a measurement",
		"no commit and commit-time are set", `"--all" is not a commit`, "has time 2026-01-03", "another commit than",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no warning %q in\n%s", want, text)
		}
	}
	if len(report.Warnings) != 6 || report.Runs != 2 || len(report.Series) != 1 {
		t.Errorf("%d runs, %d series\n%s", report.Runs, len(report.Series), text)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := history.Read(ctx, dir, history.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
	for _, o := range []history.Options{{Alpha: 2}, {Confidence: -1}, {Alpha: math.NaN()}} {
		if _, err := history.Read(t.Context(), dir, o); err == nil ||
			!strings.Contains(err.Error(), "is out of range (want 0 to 1)") {
			t.Errorf("%+v: %v", o, err)
		}
	}
}
