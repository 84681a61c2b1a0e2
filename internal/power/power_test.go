package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/whet-go/whet/internal/golden"
	"github.com/whet-go/whet/prove"
)

// TestCorpus reads the corpus: all names are unique and each case is complete.
func TestCorpus(t *testing.T) {
	t.Parallel()
	if _, err := corpus(os.DirFS(".")); err != nil {
		t.Error(err)
	}
	good := `"name":"x","module":"example.com/m","a":"v1.0.0","b":"v1.1.0","functions":["F"],"label":"same","why":"It is."`
	for text, want := range map[string]string{
		`[{` + good + `}]`:                                                      "",
		`[{` + good + `},{` + good + `}]`:                                       "two cases",
		`[{` + strings.Replace(good, `"same"`, `"equal"`, 1) + `}]`:             `label "equal"`,
		`[{` + strings.Replace(good, "It is.", "it is", 1) + `}]`:               "not a sentence",
		`[{` + strings.Replace(good, `["F"]`, `[]`, 1) + `}]`:                   "no functions",
		`[{` + strings.Replace(good, `v1.1.0`, `1.1`, 1) + `}]`:                 "versions",
		`[{` + strings.Replace(good, `"x"`, `"x y"`, 1) + `}]`:                  "name",
		`[{` + good + `,"mutant":{"mutator":"comparison","place":"F"}}]`:        "mutant",
		`[{` + good + `,"mutant":{"mutator":"comparison","place":"(*T).M:3"}}]`: "",
		`[{` + good + `,"reason":"x"}]`:                                         "unknown field",
	} {
		_, err := corpus(fstest.MapFS{"corpus/m.json": {Data: []byte(text)}})
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	for text, want := range map[string]string{
		"label: cheat\nwhy: It is one.\n-- a/x.go --\n-- b/x.go --\n": "",
		"label: bad\nwhy: It is one.\n":                               "label",
		"label: same\nwhy: It is one.\n-- c/x.go --\n":                "neither in a nor in b",
		"label: same\nwhy: It is one.\n-- a/../x.go --\n":             "",
		"label: same\n": "sentence",
	} {
		_, err := corpus(fstest.MapFS{"cheats/m.txtar": {Data: []byte(text)}})
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// TestPage renders the page from the stored results, as a run would.
func TestPage(t *testing.T) {
	t.Parallel()
	r, err := readResults(".")
	if err != nil {
		t.Fatal(err)
	}
	got, err := page(r)
	if err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "../../docs/measured/prove-power.md", got)
}

// TestCounts renders the tables of cases with each outcome.
func TestCounts(t *testing.T) {
	t.Parallel()
	var all []*testCase
	r := &results{}
	add := func(l label, o prove.Outcome, reason, fail string) {
		c := &testCase{Label: l, Why: "It is.", Module: "example.com/m"}
		for i := 0; c.Name == "" || c.held(); i++ {
			c.Name = strings.Repeat("x", len(all)+1) + strings.Repeat("-", i)
		}
		all = append(all, c)
		x := &record{
			Outcome: o, Reason: reason, Error: fail, Elapsed: time.Duration(len(all)) * time.Second,
			Called: 1, Mutants: 10, Noticed: 8, ByInputs: 6,
		}
		x.describe(c)
		r.put(x)
	}
	add(same, prove.OutcomeFaster, "it is", "")
	add(same, prove.OutcomeDifferent, "F(0) is 1", "")
	add(different, prove.OutcomeSameSpeed, "no gain", "")
	add(different, prove.OutcomeUnproven, "the budget of 2m0s is used up", "")
	add(different, "", "", "it does not build")
	r.keep(all)
	text, err := page(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"| all | same | 2 | 1 | 0 | 0 | 1 | 0 | 0 (0.0%) | 1 (50.0%) |",
		"| all | different | 2 | 0 | 1 | 0 | 0 | 0 | 1 (50.0%) | 1 (50.0%) |",
		"| F(0) is 1 |", "| the budget is used up | 1 | 0 |", "it does not build", "None of the 0 cases was run.",
		"tried 40 mutants",
	} {
		if !bytes.Contains(text, []byte(want)) {
			t.Errorf("the page has no %q:\n%s", want, text)
		}
	}
}

// TestKeep drops the records of cases that were edited.
func TestKeep(t *testing.T) {
	t.Parallel()
	c := &testCase{Name: "x", A: "v1.0.0"}
	r := &results{Cases: []*record{{Name: "x", Key: c.key()}, {Name: "y"}}}
	c.Why = "Another reason."
	if r.keep([]*testCase{c}); len(r.Cases) != 1 || !r.has(c) || r.Cases[0].Why != c.Why {
		t.Errorf("%+v", r.Cases)
	}
	c.A = "v1.0.1"
	if r.keep([]*testCase{c}); len(r.Cases) != 0 {
		t.Errorf("%+v", r.Cases)
	}
}

func TestSignals(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		diff string
		want []string
	}{
		{"--- a\n+++ b\n-\treturn fmt.Sprint(n)\n+\treturn strconv.Itoa(n)\n", []string{"strconv for fmt", "no fmt"}},
		{"+\tvar b strings.Builder\n", []string{"builder"}},
		{"+\tlist := make([]int, 0, len(x))\n", []string{"preallocation"}},
		{"+\tlist = append(list, x)\n", nil},
		{"-\treturn nil\n+\treturn err\n", nil},
	} {
		if got := signalsOf(tt.diff); !slices.Equal(got, tt.want) {
			t.Errorf("%q: %q, want %q", tt.diff, got, tt.want)
		}
	}
	if n := changedLines("--- a\n+++ b\n-x\n+y\n+z\n"); n != 2 {
		t.Errorf("%d lines", n)
	}
}

const modules = `
-- a/go.mod --
module example.com/m

go 1.26
-- a/sub/m.go --
package sub

func Sum(list []int) (n int) {
	for i := 0; i < len(list); i++ {
		n += list[i]
	}
	return n
}

func Double(n int) int { return n + n }
-- b/go.mod --
module example.com/m

go 1.26
-- b/sub/m.go --
package sub

func Sum(list []int) (n int) {
	for _, x := range list {
		n += x
	}
	return n
}

func Double(n int) int { return 2 * n }
`

func unpack(t *testing.T, archive string) string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range txtar.Parse([]byte(archive)).Files {
		name := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestChanges checks that only one function gets the code of the other version.
func TestChanges(t *testing.T) {
	t.Parallel()
	dir := unpack(t, modules)
	changes, err := changesOf(filepath.Join(dir, "a"), filepath.Join(dir, "b"), []string{"sub.Sum"})
	if err != nil {
		t.Fatal(err)
	}
	after := string(changes["sub/m.go"].After)
	if len(changes) != 1 || !strings.Contains(after, "range list") || !strings.Contains(after, "n + n") {
		t.Errorf("%d files, %s", len(changes), after)
	}
	if _, err := changesOf(filepath.Join(dir, "a"), filepath.Join(dir, "b"), []string{"sub.Product"}); err == nil {
		t.Error("an unknown function: no error")
	}
	dirs, err := changedDirs(filepath.Join(dir, "a"), filepath.Join(dir, "b"))
	if err != nil || !slices.Equal(dirs, []string{"sub"}) {
		t.Errorf("changed directories: %q, %v", dirs, err)
	}
}

// TestDiff shows the change of a case, with its mutant.
func TestDiff(t *testing.T) {
	t.Parallel()
	dir := unpack(t, modules)
	c := &testCase{
		Name: "sum", Module: "example.com/m", A: "v1.0.0", B: "v1.1.0", Functions: []string{"sub.Sum"}, Label: different,
		Why: "It is.", Mutant: &mutantRef{"arithmetic", "sub.Sum:3"},
	}
	w := workshop{dir: dir}
	for from, version := range map[string]string{"a": c.A, "b": c.B} {
		to := filepath.Join(dir, "modules", directory(c.Module, version))
		if err := os.CopyFS(to, os.DirFS(filepath.Join(dir, from))); err != nil {
			t.Fatal(err)
		}
		for _, stamp := range []string{done(to), to + ".fetched"} {
			if err := os.WriteFile(stamp, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	var out strings.Builder
	if err := w.diff(t.Context(), c, &out); err != nil {
		t.Fatal(err)
	}
	if text := out.String(); !strings.Contains(text, "+\t\tn -= x") ||
		!strings.HasPrefix(text, "sum (different): It is.\ndiff") {
		t.Error(out.String())
	}
	c.Functions = []string{"sub.Product"}
	if err := w.diff(t.Context(), c, &out); err == nil || !strings.Contains(err.Error(), "declares no sub.Product") {
		t.Errorf("an unknown function: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "case*")); len(left) > 0 {
		t.Errorf("it leaves %q", left)
	}
}

// TestMutants names mutants by their lines in a function, and finds them again.
func TestMutants(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(unpack(t, modules), "a")
	list, err := mutantsOf(t.Context(), dir, []string{"sub.Sum"})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, m := range list {
		names = append(names, m.Mutator+" "+m.Place)
	}
	for _, want := range []string{"comparison sub.Sum:2", "comparison sub.Sum:2#2", "arithmetic sub.Sum:3"} {
		if !slices.Contains(names, want) {
			t.Errorf("no mutant %q in %q", want, names)
		}
	}
	changes, err := mutate(t.Context(), dir, &testCase{Mutant: &mutantRef{"comparison", "sub.Sum:2"}})
	if err != nil || !strings.Contains(string(changes["sub/m.go"].After), "i <= len(list)") {
		t.Errorf("%s, %v", changes["sub/m.go"].After, err)
	}
	if _, err := mutate(t.Context(), dir, &testCase{Mutant: &mutantRef{"comparison", "sub.Sum:9"}}); err == nil {
		t.Error("an unknown mutant: no error")
	}
}

// TestFit compiles candidates with the declarations that they need.
func TestFit(t *testing.T) {
	t.Parallel()
	dir := unpack(t, `
-- a/go.mod --
module example.com/m

go 1.26
-- a/m.go --
package m

type T struct{ list []string }

func New() *T { return &T{} }

func (t *T) Add(s string) { t.list = append(t.list, s) }
-- b/m.go --
package m

import "strings"

type T struct{ list strings.Builder }

func New() *T { return &T{} }

func (t *T) Add(s string) { t.list.WriteString(s) }
`)
	a := filepath.Join(dir, "modules", directory("example.com/m", "v1.0.0"))
	if err := os.MkdirAll(filepath.Dir(a), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(dir, "a"), a); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(done(a), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	pair, err := readPair(a, filepath.Join(dir, "b"), ".")
	if err != nil {
		t.Fatal(err)
	}
	m := &miner{workshop: workshop{dir: dir}, most: 60, log: io.Discard}
	groups := m.groups(pair, a, ".")
	if len(groups) != 1 {
		t.Fatalf("groups: %q", groups)
	}
	c := &candidate{testCase: testCase{Module: "example.com/m", A: "v1.0.0", B: "v1.1.0"}}
	ok, err := m.fit(t.Context(), c, pair, ".", groups[0])
	if err != nil || !ok || !slices.Equal(c.Functions, []string{"(*T).Add", "type T"}) ||
		c.Name != "example.com-m-v1.1.0-(*T).Add" {
		t.Errorf("%v %v %s %q", ok, err, c.Name, c.Functions)
	}
	var out strings.Builder
	if err := c.write(&out); err != nil || !strings.Contains(out.String(), "signals: builder") {
		t.Errorf("%v\n%s", err, out.String())
	}
}

// TestProve judges the hand-made modules, and stores the outcomes.
func TestProve(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("a proof takes seconds")
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, fstest.MapFS{
		"cheats/wrong.txtar": {Data: []byte("label: different\nwhy: One more.\n" +
			strings.Replace(modules, "2 * n", "2*n + 1", 1))},
	}); err != nil {
		t.Fatal(err)
	}
	pageFile := filepath.Join(dir, "page.md")
	args := []string{"-dir", dir, "-work", filepath.Join(dir, "work"), "-page", pageFile, "-held", "-budget", "2m"}
	var log strings.Builder
	if err := run(t.Context(), args, io.Discard, &log); err != nil {
		t.Fatal(err)
	}
	r, err := readResults(dir)
	if err != nil || len(r.Cases) != 1 || r.Cases[0].Outcome != prove.OutcomeDifferent {
		t.Errorf("%v, %+v\n%s", err, r, log.String())
	}
	if text, err := os.ReadFile(pageFile); err != nil || !strings.Contains(string(text), "hand-made") {
		t.Errorf("%v\n%s", err, text)
	}
	log.Reset()
	if err := run(t.Context(), args, io.Discard, &log); err != nil || log.String() != "" {
		t.Errorf("it ran again: %v\n%s", err, log.String())
	}
	for _, bad := range [][]string{
		{"-budget", "0s"}, {"-cases", "("}, {"unknown"}, {"mutants"}, {"mutants", "wrong"}, {"diff"}, {"diff", "("},
	} {
		flags := []string{"-dir", dir, "-work", filepath.Join(dir, "work")}
		if bad[0] == "mutants" || bad[0] == "diff" {
			flags, bad = slices.Concat(bad[:1], flags, bad[1:]), nil
		}
		if err := run(t.Context(), slices.Concat(flags, bad), io.Discard, io.Discard); err == nil {
			t.Errorf("%q: no error", flags)
		}
	}
}
