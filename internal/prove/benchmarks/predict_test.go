package benchmarks

import (
	"context"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/go/packages"

	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/bench/builds"
	"github.com/whet-go/whet/internal/find/driver"
	"github.com/whet-go/whet/internal/prove/scratch"
	"github.com/whet-go/whet/internal/prove/syntax"
)

// TestPredict predicts the gain of a program that is a benchmark of the module: its ratio of time. A recording of
// other work, or of too little, has a warning.
func TestPredict(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	m := copied(t)
	s := New(m, Options{
		Module: "example.com/m", Timeout: 20 * time.Minute,
		Run: func(context.Context, builds.Side, builds.Side, builds.Options) (*builds.Result, error) {
			r := &builds.Result{}
			r.Subjects = []ab.SubjectResult{{Name: "All", Units: []ab.Unit{
				{Unit: "sec/op", Ratio: 0.6, Low: 0.5, High: 0.7}, {Unit: "B/op", Ratio: 0.1, Low: 0.1, High: 0.1},
			}}}
			return r, nil
		},
	})
	if err := s.Find(t.Context(), Scope{}); err != nil {
		t.Fatal(err)
	}
	s.Warnings()
	var all []Benchmark
	for _, b := range s.own {
		if b.name == "BenchmarkAll" {
			all = []Benchmark{b}
		}
	}
	measured, err := s.Compare(t.Context(), builds.Side{}, builds.Side{}, all, ab.Options{})
	if err != nil {
		t.Fatal(err)
	}
	of := func(old, now string) []Change {
		text, err := os.ReadFile(m.Path("text/text.go"))
		if err != nil || !strings.Contains(string(text), old) {
			t.Fatal(err)
		}
		changes := scratch.Changes{"text/text.go": {
			Before: text, After: []byte(strings.Replace(string(text), old, now, 1)),
		}}
		pkgs, err := driver.Load(t.Context(), driver.Options{Dir: m.Dir}, "./text")
		if err != nil {
			t.Fatal(err)
		}
		c := Change{Dir: "text", Package: pkgs[0]}
		decls, err := syntax.ChangedFunctions(m.Dir, c.Package.Fset, c.Package.Syntax, changes)
		if err != nil || len(decls) != 1 {
			t.Fatalf("%d functions, %v", len(decls), err)
		}
		c.Functions = []Function{{Decl: decls[0]}}
		return []Change{c}
	}
	record := func(benchmark string) (p *Prediction, warnings string) {
		sampler := &sampler{set: s, pkg: &packages.Package{PkgPath: "example.com/m/text", Dir: m.Path("text")}}
		recorded, err := sampler.sample(t.Context(), benchmark, 8*time.Second) // others may need most of the CPUs
		if err != nil {
			t.Fatal(err)
		}
		if err := sampler.close(); err != nil {
			t.Fatal(err)
		}
		p, err = s.Predict(t.Context(), measured, of("all += s", "all = all + s"), recorded)
		if err != nil {
			t.Fatal(err)
		}
		return p, strings.Join(s.Warnings().Texts(), "\n")
	}
	p, warnings := record("BenchmarkAll")
	if p == nil {
		t.Fatalf("nothing is predicted: %s", warnings)
	}
	t.Logf("%+v", p)
	if math.Abs(float64(p.Change)+0.4) > 0.12 || p.Low >= p.Change || p.High <= p.Change ||
		p.Benchmark != "text.BenchmarkAll" {
		t.Errorf("predicted %+v, want -40%%", p)
	}
	if p.Similar < 0.8 || p.Unknown != "" {
		t.Errorf("the same benchmark is %v similar: %s", p.Similar, p.Unknown)
	}
	p, warnings = record("BenchmarkTwice") // which does not call the changed function
	if p != nil || !strings.Contains(warnings, "the similarity of text.BenchmarkAll to the recording is not known: ") ||
		!strings.Contains(warnings, "0 samples of the changed functions") {
		t.Errorf("predicted %+v, warnings: %s", p, warnings)
	}
	other := &Prediction{Benchmark: "text.BenchmarkAll", Similar: 0.8}
	if err := other.warning(&all[0]); err == nil || !strings.Contains(err.Error(), "agree on 80% of the time") {
		t.Errorf("another work: %v", err)
	}
	if other.Similar = 0.96; other.warning(&all[0]) != nil {
		t.Error("a warning about 96%")
	}
}

// TestRatioOf takes the geometric mean of sub-benchmarks, and CPU time if it was measured.
func TestRatioOf(t *testing.T) {
	t.Parallel()
	r := &ab.Result{Subjects: []ab.SubjectResult{
		{Name: "Join/small", Units: []ab.Unit{{Unit: "sec/op", Ratio: 0.5, Low: 0.25, High: 1}}},
		{Name: "m/p.Join/large", Units: []ab.Unit{
			{Unit: "sec/op", Ratio: 9, Low: 9, High: 9}, {Unit: "cpu-sec/op", Ratio: 0.125, Low: 0.0625, High: 0.25},
		}},
		{Name: "Joined", Units: []ab.Unit{{Unit: "sec/op", Ratio: 7, Low: 7, High: 7}}},
		{Name: "Join/bad", Error: "panics", Units: []ab.Unit{{Unit: "sec/op", Ratio: 7, Low: 7, High: 7}}},
	}}
	ratio, low, high, ok := ratioOf(r, &Benchmark{pkg: "m/p", name: "BenchmarkJoin"})
	is := func(got, want float64) bool { return math.Abs(got-want) < 1e-9 }
	if !ok || !is(ratio, 0.25) || !is(low, 0.125) || !is(high, 0.5) {
		t.Errorf("ratio %v (%v to %v), %t", ratio, low, high, ok)
	}
	if _, _, _, ok := ratioOf(r, &Benchmark{pkg: "m/p", name: "BenchmarkNone"}); ok {
		t.Error("a ratio of a benchmark that was not measured")
	}
}
