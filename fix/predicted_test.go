package fix_test

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/bench/builds"
	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/fix"
	"github.com/whet-go/whet/internal/prove/provetest"
	"github.com/whet-go/whet/profile"
)

// TestPredicted keeps a rewrite of a function that takes two fifths of a recording. What is predicted of the program
// follows from the benchmark's gain, and a benchmark that is not like the recording has a warning.
func TestPredicted(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	provetest.Part(t)
	dir := module(t)
	r := found(t, dir)
	r.Findings = r.Findings[:1]
	o := options()
	o.Profiles = find.Profiles{CPU: joining(t)}
	o.BenchWith(func(ctx context.Context, a, b builds.Side, how builds.Options) (*builds.Result, error) {
		r, err := provetest.ByAllocations(ctx, a, b, how)
		if err != nil {
			return nil, err
		}
		for i := range r.Subjects {
			r.Subjects[i].Units = append(r.Subjects[i].Units, ab.Unit{Unit: "sec/op", Ratio: 0.5, Low: 0.4, High: 0.6})
		}
		return r, nil
	})
	got, err := fix.Run(t.Context(), r, o)
	if err != nil {
		t.Fatal(err)
	}
	a := &got.Attempts[0]
	if !a.Kept() || a.Predicted == nil {
		t.Fatalf("%s: %+v, warnings %v", a, a.Predicted, got.Warnings)
	}
	p := a.Predicted
	t.Logf("%+v", *p)
	if p.Benchmark != "text.BenchmarkJoin" || math.Abs(p.Share-0.4) > 1e-9 || p.Below < 0.3 || p.Below > 1 {
		t.Errorf("%+v", *p)
	}
	if want := 0.4 * -0.5 / p.Below; math.Abs(float64(p.Change)-want) > 1e-9 || p.Low >= p.Change || p.High <= p.Change {
		t.Errorf("the change is %v (%v to %v), want %v", p.Change, p.Low, p.High, want)
	}
	// Half of the recording's time is in a line that takes none in the benchmark.
	if p.Unknown != "" || p.Similar < 0.3 || p.Similar > 0.7 {
		t.Errorf("similar: %v, %s", p.Similar, p.Unknown)
	}
	if !slices.ContainsFunc(got.Warnings.Texts(), func(text string) bool {
		return strings.Contains(text, "text.BenchmarkJoin runs the changed functions in other proportions")
	}) {
		t.Errorf("warnings: %q", got.Warnings.Texts())
	}
}

// joining returns a profile with two fifths of its time in Join: half where it concatenates, half where it returns.
func joining(t *testing.T) *profile.Profile {
	t.Helper()
	b := profile.NewBuilder(profile.ValueType{Type: "samples", Unit: "count"},
		profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
	location := func(name string, line int32) uint32 {
		fn := b.Function(profile.Function{Name: name, File: "text/text.go", StartLine: 9})
		return b.Location(0, profile.None, false, profile.Line{Function: fn, Line: line})
	}
	const join = "example.com/service/text.Join"
	run := location("main.run", 12)
	for _, of := range []struct {
		leaf    uint32
		samples int64
	}{{location(join, 12), 200}, {location(join, 14), 200}, {location("main.other", 12), 600}} {
		if err := b.Sample([]uint32{of.leaf, run}, nil, of.samples, of.samples*1e7); err != nil {
			t.Fatal(err)
		}
	}
	return b.Profile(&profile.Profile{
		PeriodType: profile.ValueType{Type: "cpu", Unit: "nanoseconds"}, Period: 1e7,
	})
}
