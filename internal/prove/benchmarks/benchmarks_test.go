package benchmarks

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/bench/builds"
	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/find/driver"
	"github.com/whet-go/whet/internal/prove/scratch"
	"github.com/whet-go/whet/internal/prove/syntax"
)

// module has a function without a benchmark, and a benchmark that fails.
const module = `
-- go.mod --
module example.com/m

go 1.26
-- text/text.go --
// Package text repeats text.
package text

// Twice repeats s.
func Twice(s string) string { return s + s }

// Often repeats s.
func Often(s string) (all string) {
	for range 9 {
		all += s
	}
	return all
}

// Lone has no benchmark.
func Lone(s string) string { return s + ";" + s }
-- text/text_test.go --
package text

import "testing"

func BenchmarkAll(b *testing.B) {
	for b.Loop() {
		Often(Twice("a"))
	}
}

func BenchmarkTwice(b *testing.B) {
	for b.Loop() {
		Twice("a")
	}
}

func BenchmarkOnce(b *testing.B) {
	s := Twice("a")
	for i := 0; i < b.N; i++ {
		Often(s)
	}
}

func BenchmarkBroken(b *testing.B) { b.Fatal("out of order") }
`

// names returns the names of benchmarks with spaces between them.
func names(list []Benchmark) string { return strings.Trim(fmt.Sprint(list), "[]") }

// copied returns a copy of the module, which the end of the test removes.
func copied(t *testing.T) *scratch.Module {
	t.Helper()
	dir := t.TempDir()
	for _, f := range txtar.Parse([]byte(module)).Files {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, f.Name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	m, err := scratch.New(t.Context(), dir, scratch.Options{Temp: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

// TestSet finds the benchmarks that run a place, writes one for a function that has none, and
// compares by it: its file is in the copy only while it is used.
func TestSet(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	m := copied(t)
	var ran builds.Options
	var files []string
	s := New(m, Options{
		Module: "example.com/m", Timeout: 20 * time.Minute,
		Run: func(_ context.Context, _, _ builds.Side, o builds.Options) (*builds.Result, error) {
			ran = o
			files, _ = filepath.Glob(m.Path("text/*_test.go"))
			return &builds.Result{}, nil
		},
	})
	if s.Found(Scope{}) {
		t.Error("found before Find")
	}
	if err := s.Find(t.Context(), Scope{}); err != nil {
		t.Fatal(err)
	}
	if texts := s.Warnings().Texts(); len(texts) != 1 || !strings.Contains(texts[0], "text.BenchmarkBroken: ") ||
		!strings.Contains(texts[0], "out of order") || len(s.Warnings()) > 0 {
		t.Errorf("warnings: %q", texts)
	}
	twice := []find.Place{{File: "text/text.go", Line: 5, EndLine: 5}}
	lone := []find.Place{{File: "text/text.go", Line: 16, EndLine: 16}}
	all := s.Covering(twice)
	if got := names(all); got != "text.BenchmarkTwice text.BenchmarkAll text.BenchmarkOnce" || len(s.Covering(lone)) > 0 ||
		!s.Found(Scope{}) {
		t.Errorf("covering: %s; of the other function: %s", got, names(s.Covering(lone)))
	}
	measuring, share := s.Measuring(t.Context(), all, twice)
	if got := names(measuring); got != "text.BenchmarkTwice text.BenchmarkAll" || share != 1 {
		t.Errorf("measuring: %s, share %v", got, share)
	}
	warning := strings.Join(s.Warnings().Texts(), "\n")
	if !strings.HasPrefix(warning, "text.BenchmarkOnce does not measure") {
		t.Errorf("warnings: %s", warning)
	}
	_, share = s.Measuring(t.Context(), all[1:2], twice) // its other function runs 11 blocks for one of these
	if share < 0.05 || share > 0.2 {
		t.Errorf("the share of Twice in BenchmarkAll is %v", share)
	}
	others, none := s.Others([]string{"text"}, all[:1]), s.Others([]string{"."}, nil)
	if got := names(others); got != "text.BenchmarkAll text.BenchmarkOnce" || len(none) > 0 {
		t.Errorf("others: %s; of another directory: %s", got, names(none))
	}

	chosen := writeFor(t, s, m, "s + \";\" + s", "s + s")
	if got := names(chosen); got != "text.BenchmarkWhet_Lone" {
		t.Fatalf("written: %s", got)
	}
	measured, err := s.Compare(t.Context(), builds.Side{}, builds.Side{}, chosen, ab.Options{MaxTime: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	if ran.Bench != "^(BenchmarkWhet_Lone)$" || !slices.Equal(ran.Patterns, []string{"example.com/m/text"}) ||
		ran.AB.MaxTime != time.Hour {
		t.Errorf("compared with %+v", ran)
	}
	after, _ := filepath.Glob(m.Path("text/*_test.go"))
	if len(files) < 2 || len(after) != 1 {
		t.Errorf("files of tests: %q while it runs, %q afterwards", files, after)
	}
	if inputs := measured.Generated()["example.com/m/text.Whet_Lone"]; !strings.Contains(inputs, "generated inputs") ||
		!strings.Contains(measured.Written, "func BenchmarkWhet_Lone(") || len(measured.Paths) != 1 ||
		!strings.Contains(measured.Paths[0], "no recording shows") {
		t.Errorf("inputs %q, paths %q, written:\n%s", inputs, measured.Paths, measured.Written)
	}
	s.Forget()
	if s.Found(Scope{}) || len(s.Covering(twice)) > 0 {
		t.Error("found after Forget")
	}
}

// TestUnusual holds that a benchmark is written without a package's tests if these do not build, and that it has
// unusual inputs if typical ones do not run all that has changed.
func TestUnusual(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	m := copyOf(t, map[string]string{
		"go.mod": "module example.com/m\n\ngo 1.26\n",
		"text/text.go": "package text\n\n// Abs is absolute.\n" +
			"func Abs(n int) int {\n\tif n < 0 {\n\t\treturn -n\n\t}\n\treturn n\n}\n",
		"text/text_test.go": "package text\n\nvar _ = missing\n",
	})
	s := New(m, Options{
		Module: "example.com/m", Timeout: 20 * time.Minute,
		Run: func(context.Context, builds.Side, builds.Side, builds.Options) (*builds.Result, error) {
			if files, _ := filepath.Glob(m.Path("text/*_test.go")); slices.Contains(files, m.Path("text/text_test.go")) {
				t.Errorf("the tests that do not build are there: %q", files)
			}
			return &builds.Result{}, nil
		},
	})
	for _, test := range []struct {
		old     string
		unusual bool
	}{
		{"\treturn n\n", false},
		{"\treturn -n\n", true},
		{"\t\treturn -n\n\t}\n\treturn n\n", true}, // typical inputs run one of the two
	} {
		s.Forget()
		if err := s.Find(t.Context(), Scope{}); err != nil {
			t.Fatal(err)
		}
		chosen := writeFor(t, s, m, test.old, strings.ReplaceAll(test.old, "n\n", "n*1\n"))
		if got := names(chosen); got != "text.BenchmarkWhet_Abs" {
			t.Fatalf("%q: written: %q", test.old, got)
		}
		measured, err := s.Compare(t.Context(), builds.Side{}, builds.Side{}, chosen, ab.Options{MaxTime: time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		inputs := measured.Generated()["example.com/m/text.Whet_Abs"]
		if strings.Contains(inputs, "some of them unusual") != test.unusual {
			t.Errorf("%q: %s", test.old, inputs)
		}
		if _, err := os.Stat(m.Path("text/text_test.go")); err != nil {
			t.Error(err)
		}
	}
}

// TestSetting holds that a benchmark has inputs of a comparison, with the variables that these set, where others do not
// run what has changed.
func TestSetting(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	m := copyOf(t, map[string]string{
		"go.mod": "module example.com/m\n\ngo 1.26\n",
		"text/text.go": "package text\n\nimport \"strings\"\n\n// Plain turns marks off.\nvar Plain = true\n\n" +
			"// A Version is read from a text.\ntype Version struct{ Major, Minor string }\n\n" +
			"// Mark marks a version.\nfunc Mark(v *Version) string {\n\tif Plain || v == nil {\n\t\treturn \"\"\n\t}\n" +
			"\treturn strings.Repeat(\"*\", 2) + v.Major\n}\n\n" +
			"// Number is the number of a version.\nfunc Number(text string) string {\n" +
			"\tif len(text) != 9 || text[:7] != \"version\" || text[8] != ';' {\n\t\treturn \"\"\n\t}\n" +
			"\treturn strings.Repeat(\"#\", 3) + text[7:8]\n}\n",
	})
	corpus := t.TempDir()
	found, others := filepath.Join(corpus, "FuzzWhetDiffer2"), filepath.Join(corpus, "FuzzWhetDiffer1")
	for _, dir := range []string{found, others} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 600 { // of another function, more than are tried
		text := fmt.Sprintf("go test fuzz v1\n[]byte(%q)\n", strconv.Itoa(i))
		if err := os.WriteFile(filepath.Join(others, strconv.Itoa(i)), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// What makes a text of the next bytes, as they are.
	data := "\x04" + "\x00" + "\x0f" + "\x09" + "version1;"
	text := fmt.Sprintf("go test fuzz v1\n[]byte(%q)\n", data)
	if err := os.WriteFile(filepath.Join(found, "0123"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s := New(m, Options{
		Module: "example.com/m", Timeout: 20 * time.Minute, Corpus: func(string) string { return corpus },
		Run: func(context.Context, builds.Side, builds.Side, builds.Options) (*builds.Result, error) {
			return &builds.Result{}, nil
		},
	})
	if err := s.Find(t.Context(), Scope{}); err != nil {
		t.Fatal(err)
	}
	for old, want := range map[string]string{
		`strings.Repeat("*", 2)`: "text.BenchmarkWhet_Mark", `strings.Repeat("#", 3)`: "text.BenchmarkWhet_Number",
	} {
		if got := names(writeFor(t, s, m, old, `string("x")`)); got != want {
			t.Errorf("%s: written: %q, want %q", old, got, want)
		}
	}
}

// copyOf returns the copy of a module with files, which is closed when the test ends.
func copyOf(t *testing.T, files map[string]string) *scratch.Module {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	m, err := scratch.New(context.Background(), dir, scratch.Options{Temp: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

// writeFor writes benchmarks for a change of package text.
func writeFor(t *testing.T, s *Set, m *scratch.Module, old, now string) []Benchmark {
	t.Helper()
	const file = "text/text.go"
	before, err := os.ReadFile(m.Path(file))
	if err != nil {
		t.Fatal(err)
	}
	changes := scratch.Changes{file: {Before: before, After: []byte(strings.Replace(string(before), old, now, 1))}}
	pkgs, err := driver.Load(t.Context(), driver.Options{Dir: m.Dir}, "./text")
	if err != nil {
		t.Fatal(err)
	}
	c := Change{Dir: "text", Package: pkgs[0]}
	decls, err := syntax.ChangedFunctions(m.Dir, pkgs[0].Fset, pkgs[0].Syntax, changes)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range decls {
		lines, err := syntax.ChangedLines(m.Dir, pkgs[0].Fset, d, changes)
		if err != nil {
			t.Fatal(err)
		}
		c.Functions = append(c.Functions, Function{Decl: d, Lines: lines})
	}
	chosen, why, err := s.Write(t.Context(), []Change{c}, Recording{Charged: func(string, int) float64 { return 0 }}, 4)
	if err != nil || len(chosen) == 0 {
		t.Fatal(err, why)
	}
	return chosen
}

// TestCallers checks that a benchmark calls the exported caller of an unexported function if the arguments that whet
// makes for that do not run what has changed.
func TestCallers(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	m := copyOf(t, map[string]string{
		"go.mod": "module example.com/m\n\ngo 1.26\n",
		"text/text.go": "package text\n\nimport \"hash/fnv\"\n\nfunc sum(text string) uint64 {\n\th := fnv.New64a()\n" +
			"\th.Write([]byte(text))\n\treturn h.Sum64()\n}\n\n" +
			"// Fill fills.\nfunc Fill(text string) string { return fill(text, sum(text)) }\n\n" +
			"func fill(text string, of uint64) string {\n\tif sum(text) != of {\n\t\treturn \"\"\n\t}\n" +
			"\tfilled := \"\"\n\tfor range 8 {\n\t\tfilled += text\n\t}\n\treturn filled\n}\n",
	})
	s := New(m, Options{Module: "example.com/m", Timeout: 20 * time.Minute})
	if err := s.Find(t.Context(), Scope{}); err != nil {
		t.Fatal(err)
	}
	if got := names(writeFor(t, s, m, "filled += text", "filled += text + \"\"")); got != "text.BenchmarkWhet_Fill" {
		t.Errorf("written: %q", got)
	}
}

// TestGenerated checks that a generated benchmark is found by its name in results, and one of the
// module is not.
func TestGenerated(t *testing.T) {
	t.Parallel()
	m := &Measured{covering: []Benchmark{
		{pkg: "m/p", name: "BenchmarkWhet_Parse", written: true, inputs: "first"},
		{pkg: "m/q", name: "BenchmarkWhet_Parse", written: true, inputs: "second"},
		{pkg: "m/p", name: "BenchmarkOwn"},
	}}
	got := m.Generated()
	for name, want := range map[string]string{
		"Whet_Parse": "first", "m/p.Whet_Parse": "first", "m/q.Whet_Parse": "second", "m/p.Own": "", "Own": "",
	} {
		if got[name] != want {
			t.Errorf("%s: %q, want %q", name, got[name], want)
		}
	}
}

// TestInputsText checks that the longest input is the example.
func TestInputsText(t *testing.T) {
	t.Parallel()
	got := inputsText("1 0 \"\"\n8 1 \"a \\\"b\\\"\"\n64 2 \"x\"\n")
	if want := `3 generated inputs, such as a "b"`; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	got = inputsText("-1 1 true \"GET\"\n-3 3 true \"GET /long\"\n")
	if want := "2 captured inputs, such as GET /long"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestUnlike checks which written benchmarks are kept, and which of those have a warning, by how much their CPU
// profiles and the recording's have in common.
func TestUnlike(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		similar, chance float64
		sampled, kept   bool
		inputs, warning string
	}{
		{0.97, 0.99, true, true, "", ""},
		{0.94, 0.97, true, true, "", ""}, // as much as two profiles of the same work
		{0.8, 1, true, true, "8 generated inputs", "agree on 80% of the time, less than 95%, record --capture hot"},
		{0.6, 0.75, true, true, "5 captured inputs", "agree on 80% of the time, less than 95%, prove --service"},
		{0.49, 1, true, false, "", ""},
		{0, 0, false, true, "", ""},
	} {
		p := &callPath{
			function: "Join", known: true, cost: 1, calls: 1, sampled: test.sampled, similar: test.similar, chance: test.chance,
		}
		err := unlike(p, &Benchmark{name: "BenchmarkWhet_Join", inputs: test.inputs})
		if p.alike() != test.kept || (err != nil) != (test.warning != "") {
			t.Errorf("%v: kept %t, warning %v", test, p.alike(), err)
		}
		if err == nil {
			continue
		}
		text, hint, _ := strings.Cut(test.warning, "%, ")
		if !strings.Contains(err.Error(), "BenchmarkWhet_Join runs Join in other proportions") ||
			!strings.Contains(err.Error(), text) || !strings.Contains(diag.Hint(err), hint) {
			t.Errorf("%v: %v, hint %q", test, err, diag.Hint(err))
		}
	}
}
