package gotest_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/whet-go/whet/bench/gotest"
)

// TestPrepare expects a job for each benchmark that can be run, and a failure for each other.
func TestPrepare(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	binary(t, "")
	src := gotest.Source{Dir: fixture.dir}
	var steps []string
	jobs, failures, err := gotest.Prepare(t.Context(), src, gotest.PrepareOptions{
		Match: "Sum|Broken|Exit3|Fail", Dir: t.TempDir(), Run: gotest.RunOptions{Procs: 2, Iterations: 2},
		Progress: func(step string, p gotest.Package) { steps = append(steps, step+" "+p.ImportPath) },
	})
	if err != nil {
		t.Fatal(err)
	}
	var names, wrong []string
	for _, j := range jobs {
		names = append(names, j.Binary.Package.ImportPath+" "+j.Name)
	}
	for _, err := range failures {
		line, _, _ := strings.Cut(err.Error(), "\n")
		wrong = append(wrong, line)
	}
	if want := []string{"example.com/m BenchmarkSum", "example.com/m/bad BenchmarkFail/ok"}; !slices.Equal(names, want) {
		t.Errorf("jobs %q", names)
	}
	if len(wrong) != 4 || !strings.HasPrefix(wrong[0], "example.com/m/syntax: ") ||
		wrong[1] != "BenchmarkExit3 of example.com/m/bad: exit status 3" ||
		wrong[2] != "BenchmarkFail/not of example.com/m/bad: it failed" ||
		!strings.HasPrefix(wrong[3], "build the tests of example.com/m/broken: ") {
		t.Errorf("failures %q", wrong)
	}
	if want := []string{
		"building example.com/m", "looking into example.com/m", "building example.com/m/bad",
		"looking into example.com/m/bad", "building example.com/m/broken",
	}; !slices.Equal(steps, want) {
		t.Errorf("steps %q", steps)
	}
	if _, _, err := gotest.Prepare(t.Context(), src, gotest.PrepareOptions{Match: "("}); err == nil {
		t.Error("a bad expression is taken")
	}
}

// TestRounds expects each job as often as requested, all of them once before any is repeated, in an
// order that the seed determines, and none that failed.
func TestRounds(t *testing.T) {
	o := gotest.RunOptions{Procs: 2, Iterations: 1}
	good, bad := binary(t, ""), binary(t, "bad")
	jobs := []gotest.Job{
		{good, "BenchmarkSum", o},
		{bad, "BenchmarkExit3", o},
		{good, "BenchmarkOld", o},
		{good, "BenchmarkSub/same#01", o},
	}
	orders := map[string]bool{}
	for _, seed := range []uint64{1, 1, 2, 3, 4} {
		var order []int
		last := gotest.Progress{}
		finished := 0
		got := gotest.Rounds(t.Context(), jobs, gotest.RoundsOptions{Count: 3, Seed: seed, Progress: func(p gotest.Progress) {
			order = append(order, p.Job)
			last = p
			if p.Finished {
				finished++
			}
		}})
		for i, m := range got {
			if i == 1 {
				if !errors.As(m.Err, new(*gotest.Failure)) || len(m.Results) > 0 {
					t.Errorf("%+v", m)
				}
			} else if m.Err != nil || len(m.Results) != 3 || m.Results[0].Name != jobs[i].Name {
				t.Errorf("%+v", m)
			}
		}
		if last.Done != 12 || last.Of != 12 || last.Left != 0 || finished != 4 {
			t.Errorf("%+v", last)
		}
		if len(order) != 4+3+3 || len(slices.Compact(slices.Sorted(slices.Values(order[:4])))) != 4 ||
			len(slices.Compact(slices.Sorted(slices.Values(order[4:7])))) != 3 {
			t.Errorf("order %v", order)
		}
		orders[fmt.Sprint(seed, order)] = true
	}
	if len(orders) != 4 {
		t.Errorf("orders %v", orders)
	}
}

// TestRoundsOfTime checks that the number of iterations for a time is determined once.
func TestRoundsOfTime(t *testing.T) {
	o := gotest.RunOptions{Time: 2 * time.Millisecond}
	jobs := []gotest.Job{{binary(t, ""), "BenchmarkOld", o}}
	got := gotest.Rounds(t.Context(), jobs, gotest.RoundsOptions{Count: 3})
	if len(got[0].Results) != 3 || jobs[0].Options.Iterations != 0 {
		t.Fatalf("%+v of %+v", got, jobs)
	}
	n := func(i int) int { return got[0].Results[i].Measurements[0].Iterations }
	if n(1) != n(2) || n(1) < 10 {
		t.Errorf("%d, %d and %d iterations", n(0), n(1), n(2))
	}
}
