package pgo

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/whet-go/whet/bench"
	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/recording"
)

// ratio returns a comparison of programs with this ratio.
func ratio(at, low, high float64) *ab.Result {
	return &ab.Result{Unit: "sec/op", Subjects: []ab.SubjectResult{{Name: "program", Units: []ab.Unit{{
		Unit: "sec/op", Ratio: bench.Float(at), Low: bench.Float(low), High: bench.Float(high),
	}}}}}
}

// options returns options for the module in dir, with a comparison that has the given outcome.
func options(t *testing.T, dir string, c *ab.Result) Options {
	t.Helper()
	o := Options{Profile: readProfile(t, storedProfile), Dir: dir, Work: t.TempDir(), MaxStale: 0.3}
	o.compare = func(_ context.Context, paths [2]string) (*ab.Result, bench.Warnings, error) {
		for _, p := range paths {
			if size(t, p) == 0 {
				t.Errorf("%s is empty", p)
			}
		}
		return c, bench.Warnings{{Text: "a warning"}}, nil
	}
	return o
}

// TestRunPrograms compares programs with the caller's function.
func TestRunPrograms(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	dir := writeModule(t, hotModule())
	res, err := Run(t.Context(), options(t, dir, ratio(0.9, 0.85, 0.95)))
	if err != nil {
		t.Fatal(err)
	}
	if !res.Pays || res.Gain == nil || res.Gain.High != 0.95 {
		t.Errorf("pays %v, gain %+v: %s", res.Pays, res.Gain, res.Why)
	}
	if res.Target.Default() != filepath.Join(res.Target.Dir, "default.pgo") ||
		res.Target.Main != "example.com/hot" || res.Target.Existing != -1 {
		t.Errorf("target %+v", res.Target)
	}
	if len(res.Warnings) == 0 || res.Warnings[len(res.Warnings)-1].Text != "a warning" {
		t.Errorf("warnings %q", res.Warnings)
	}
}

// TestRunProgramsWithoutBenchmarks checks that benchmarks are not needed, not even for a profile of
// some.
func TestRunProgramsWithoutBenchmarks(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	files := hotModule()
	delete(files, "sum/sum_test.go")
	o := options(t, writeModule(t, files), ratio(1.1, 1.05, 1.15))
	o.Profile.Functions = append(o.Profile.Functions, profile.Function{Name: "testing.(*B).runN"})
	res, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if !res.Profile.Bench || res.Pays || res.Gain == nil || res.Gain.Ratio != 1.1 {
		t.Errorf("%+v", res)
	}
}

// TestRunBenchmarks compares by benchmarks. Whether that finds a gain depends on the machine, but
// the builds must use the profile.
func TestRunBenchmarks(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	dir := writeModule(t, hotModule())
	o := options(t, dir, nil)
	o.compare = nil
	o.AB = ab.Options{MaxTime: 1, Trial: 1, Plans: []ab.Plan{{Length: 1e6}}}
	res, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if c := res.Comparison; c == nil || len(c.Subjects) != 1 ||
		c.Subjects[0].Name != "BenchmarkOf" || c.Subjects[0].Error != "" {
		t.Errorf("comparison %+v", c)
	}
	if len(res.Changes) < 2 || !res.Changes[0].Own || res.Stale.Share() != 0 ||
		res.A.Size == 0 || res.B.Size == 0 || res.A.CPU != 0 {
		t.Errorf("%+v", res)
	}
	var b bytes.Buffer
	if err := res.WriteProfile(&b); err != nil {
		t.Fatal(err)
	}
	p, err := profile.Parse(b.Bytes(), profile.ReadOptions{})
	if err != nil || asPreprofile(Edges(p)) != asPreprofile(Edges(o.Profile)) {
		t.Errorf("the profile to write has other calls: %v", err)
	}
}

// TestRunOtherProgram checks that a profile of another program is reported as stale, and that the
// recorded versions are compared.
func TestRunOtherProgram(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	dir := writeModule(t, hotModule())
	o := options(t, dir, ratio(0.9, 0.8, 0.95))
	o.Profile = handmade(t, 10, cpu()...)
	o.Recording = &recording.Meta{GoVersion: "go1.20", Build: &recording.Build{
		Path: "example.com/other", Main: recording.Module{Path: "example.com/other"},
		Deps: []recording.Module{{Path: "example.com/dep", Version: "v1.0.0"}},
	}}
	res, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if res.Stale.Share() < 0.5 || !strings.HasPrefix(res.Stale.GoVersion, "go1.20, now go1") ||
		len(res.Stale.Modules) != 1 || res.Stale.Modules[0] != "example.com/dep v1.0.0, no longer used" {
		t.Errorf("%+v", res.Stale)
	}
	for i, want := range []string{
		"samples, too few to show", "the recording is of module example.com/other", "no longer exists: record",
	} {
		if i >= len(res.Warnings) || !strings.Contains(res.Warnings[i].Text, want) {
			t.Errorf("warnings %q have no %q", res.Warnings, want)
		}
	}
}

func TestRunErrors(t *testing.T) {
	broken := hotModule()
	broken["main.go"] = strings.Replace(broken["main.go"], "return out", "return nothing", 1)
	two := hotModule()
	two["cmd/two/two.go"] = "package main\n\nfunc main() {}\n"
	library := hotModule()
	delete(library, "main.go")
	for _, tt := range []struct {
		name     string
		files    map[string]string
		packages []string
		error    string
		hint     string
	}{
		{"broken", broken, nil, "undefined: nothing", "`go build` shows the same"},
		{
			"two main packages", two,
			[]string{"./..."},
			"2 main packages: example.com/hot, example.com/hot/cmd/two", "name one",
		},
		{"library", library, []string{"./sum"}, "a library has no program to start", "name the main package"},
		{"no such package", hotModule(), []string{"./absent"}, "absent", "--dir"},
		{"no module", map[string]string{"a.go": "package a\n"}, nil, "", "--dir"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := options(t, writeModule(t, tt.files), ratio(1, 1, 1))
			o.Packages = tt.packages
			_, err := Run(t.Context(), o)
			if err == nil || !strings.Contains(err.Error(), tt.error) || !strings.Contains(diag.Hint(err), tt.hint) {
				t.Errorf("error %v\nhint %q", err, diag.Hint(err))
			}
		})
	}
	t.Run("no benchmarks", func(t *testing.T) {
		files := hotModule()
		delete(files, "sum/sum_test.go")
		o := options(t, writeModule(t, files), nil)
		o.compare = nil
		o.Progress = func(what string) { t.Errorf("%s, though there is nothing to compare by", what) }
		if _, err := Run(t.Context(), o); err == nil ||
			!strings.Contains(err.Error(), "no benchmarks in example.com/hot") ||
			!strings.Contains(diag.Hint(err), "--no-measure") {
			t.Errorf("error %v\nhint %q", err, diag.Hint(err))
		}
	})
	t.Run("found", func(t *testing.T) {
		o := options(t, writeModule(t, hotModule()), nil)
		if err := os.WriteFile(filepath.Join(o.Dir, "default.pgo"), []byte("four"), 0o600); err != nil {
			t.Fatal(err)
		}
		stop := errors.New("stop")
		o.Found = func(target *Target) error {
			if target.Existing != 4 {
				t.Errorf("target %+v", target)
			}
			return stop
		}
		if _, err := Run(t.Context(), o); !errors.Is(err, stop) {
			t.Errorf("error %v", err)
		}
	})
	t.Run("canceled", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		o := options(t, writeModule(t, hotModule()), nil)
		o.Progress = func(what string) {
			if strings.HasPrefix(what, "building") {
				cancel()
			}
		}
		if _, err := Run(ctx, o); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
	})
}
