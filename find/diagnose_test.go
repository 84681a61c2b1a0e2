package find_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/find/diagnosis"
	"github.com/whet-go/whet/profile"
)

// TestDiagnosesOfExample has a diagnosis for each own line of 2% and more of the example's benchmarks,
// whether or not it has a finding.
func TestDiagnosesOfExample(t *testing.T) {
	example, err := filepath.Abs("../examples/leftpad")
	if err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	cmd := exec.CommandContext(t.Context(), "go", "test", "-run=^$", "-bench=.", "-benchtime=20000x",
		"-cpuprofile="+filepath.Join(out, "cpu"), "-memprofile="+filepath.Join(out, "mem"), "-memprofilerate=4096",
		"-mutexprofile="+filepath.Join(out, "mutex"), "-blockprofile="+filepath.Join(out, "block"),
		"-o="+filepath.Join(out, "leftpad.test"), ".")
	cmd.Dir = example
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	read := func(name string) *profile.Profile {
		p, err := profile.ReadFile(filepath.Join(out, name), profile.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	p := find.Profiles{CPU: read("cpu"), Allocs: read("mem"), Mutex: read("mutex"), Block: read("block")}
	r, err := find.Find(t.Context(), p, find.Options{Dir: example, Notes: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	charged, err := find.Charge(t.Context(), p, find.Options{Dir: example})
	if err != nil {
		t.Fatal(err)
	}
	// The kinds of what the example does, by a part of the line. The CPU time of a line is a few
	// samples, so only the largest counts.
	enough := map[find.Cost]float64{find.CPU: 0.4, find.AllocSpace: 0.03, find.Mutex: 2, find.Block: 2}
	kinds := map[string][]diagnosis.Kind{
		"fmt.Sprintf(":  {diagnosis.Formatting, diagnosis.Interface, diagnosis.Conversion, diagnosis.Concatenation},
		"log.Printf(":   {diagnosis.Logging, diagnosis.Interface},
		"NewReplacer(":  {diagnosis.Text},
		"json.NewEnc":   {diagnosis.Encoding, diagnosis.HTTP},
		"[]byte(line)":  {diagnosis.Conversion, diagnosis.SystemCall, diagnosis.Network},
		"r.FormValue(":  {diagnosis.HTTP},
		" + text":       {diagnosis.Concatenation},
		"time.Now()":    {diagnosis.Clock},
		"MustCompile(":  {diagnosis.Regexp},
		"rand.Float64(": {diagnosis.Random},
	}
	hot, known := 0, 0
	for _, file := range []string{
		"slow/handlers.go", "slow/leftpad.go", "slow/statsd.go", "main.go", "fast/handlers.go", "fast/leftpad.go",
		"fast/statsd.go", "bench_test.go",
	} {
		text, err := os.ReadFile(filepath.Join(example, file))
		if err != nil {
			continue // the example has other files
		}
		for i, code := range strings.Split(string(text), "\n") {
			evidence, _ := charged.Line(file, i+1)
			d := diagnosis.On(r.Diagnoses, file, i+1)
			for _, e := range evidence {
				if e.Share < diagnosis.MinShare || e.Cost == find.AllocObjects {
					continue
				}
				hot++
				if d == nil {
					t.Errorf("%s:%d has no diagnosis: %s", file, i+1, code)
					continue
				}
				at := slices.IndexFunc(d.Costs, func(c diagnosis.Diagnosis) bool { return find.Cost(c.Cost) == e.Cost })
				if at < 0 || d.Costs[at].Text == "" || d.Costs[at].Why == "" || d.Costs[at].Saves > e.Share+1e-9 ||
					d.Test != strings.HasSuffix(file, "_test.go") {
					t.Errorf("%s:%d: %+v", file, i+1, d)
					continue
				}
				for part, want := range kinds {
					if strings.Contains(code, part) && e.Share > enough[e.Cost] {
						known++
						if !slices.Contains(want, d.Costs[at].Kind) {
							t.Errorf("%s:%d: %s is %s, want one of %v: %s", file, i+1, e.Cost, d.Costs[at].Kind, want, code)
						}
					}
				}
			}
		}
	}
	if hot < 5 || known < 3 {
		t.Errorf("%d hot lines, %d of known kinds", hot, known)
	}
}

// TestDiagnoses diagnoses the line that no rule explains, and those with findings; the benchmark's
// lines are marked as such.
func TestDiagnoses(t *testing.T) {
	dir, p := module(t)
	r, err := find.Find(t.Context(), p, options(dir))
	if err != nil {
		t.Fatal(err)
	}
	on := func(file, code string) *diagnosis.Line {
		text, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			t.Fatal(err)
		}
		before, _, found := strings.Cut(string(text), code)
		if !found {
			t.Fatalf("%s has no %s", file, code)
		}
		return diagnosis.On(r.Diagnoses, file, 1+strings.Count(before, "\n"))
	}
	sorting := on("clean/clean.go", "sort.Sort(")
	if sorting == nil || sorting.Costs[0].Kind != diagnosis.Sorting || len(sorting.Findings) > 0 ||
		!slices.Contains(sorting.Costs[0].Considered, "sortslice") || sorting.Costs[0].Rewrite {
		t.Errorf("sort.Sort: %+v", sorting)
	}
	replaced := on("clean/clean.go", "NewReplacer(")
	if replaced == nil || replaced.Costs[0].Kind != diagnosis.Text || len(replaced.Findings) == 0 ||
		!replaced.Costs[0].Rewrite {
		t.Errorf("NewReplacer: %+v", replaced)
	}
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), `"kind":"sorting"`) {
		t.Errorf("JSON: %s", text)
	}

	only := options(dir)
	only.Rules = only.Rules[:1]
	if r, err = find.Find(t.Context(), p, only); err != nil {
		t.Fatal(err)
	}
	if d := on("clean/clean.go", "sort.Sort("); d == nil || !strings.Contains(d.Costs[0].Why, "did not run: sortslice") {
		t.Errorf("without the rule: %+v", d)
	}
}
