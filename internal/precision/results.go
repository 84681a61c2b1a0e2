package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/fix"
)

// schema is the schema of results as JSON.
const schema = "whet.precision/1"

// results are the results of all modules.
type results struct {
	Schema  string        `json:"schema"`
	Modules []measurement `json:"modules"` // in the order of the list
}

// A measurement is the results of a module.
type measurement struct {
	Name    string `json:"name"`
	Path    string `json:"path"`
	Version string `json:"version"`
	Lines   int    `json:"lines"` // of Go, outside tests

	Machine     string        `json:"machine,omitempty"`
	Elapsed     time.Duration `json:"elapsed_ns"`
	RewriteTime time.Duration `json:"rewrite_time_ns"` // for each rewrite, on average

	OwnCPU   float64   `json:"own_cpu"`   // share of the profile below own lines
	OwnAlloc float64   `json:"own_alloc"` // of the allocated bytes
	Findings []finding `json:"findings"`
	// Later are findings that appeared only after rewrites. Users do not see them first, so they
	// are not counted.
	Later   []finding `json:"later,omitempty"`
	Failing []string  `json:"failing,omitempty"` // packages whose tests fail before any change

	Recall      recall    `json:"recall"`
	Unexplained []hotLine `json:"unexplained"` // the ten hottest that rules analyzed
}

// recall counts how much of the hot lines findings cover.
type recall struct {
	Hot     int `json:"hot"`     // own lines with at least 1% of a profile, outside tests
	Without int `json:"without"` // those without a finding
	// Their cost, as shares of the profiles.
	CPU          float64 `json:"cpu"`
	CPUWithout   float64 `json:"cpu_without"`
	Alloc        float64 `json:"alloc"`
	AllocWithout float64 `json:"alloc_without"`
	// Tests is the number of hot lines in tests, which rules do not analyze.
	Tests int `json:"tests"`
}

// mostUnexplained is the number of hot lines without a finding that are kept.
const mostUnexplained = 10

// found adds the output of whet find.
func (r *measurement) found(f *find.Result) {
	for _, t := range f.Totals {
		own := finite(float64(t.Own) / float64(t.Value))
		switch t.Cost {
		case find.CPU:
			r.OwnCPU = own
		case find.AllocSpace:
			r.OwnAlloc = own
		case find.AllocObjects, find.Mutex, find.Block:
		}
	}
	r.Findings, r.Unexplained = []finding{}, []hotLine{}
	lines := map[string]bool{}
	for i := range f.Findings {
		x := found(&f.Findings[i])
		r.Findings = append(r.Findings, x)
		r.Recall.CPU += x.CPU
		r.Recall.Alloc += x.Alloc
		for _, line := range x.Lines {
			lines[line] = true
		}
	}
	for i := range f.Unexplained {
		x := unexplained(&f.Unexplained[i])
		if x.Why != "" {
			r.Recall.Tests++
			continue
		}
		r.Recall.Without++
		r.Recall.CPUWithout += x.CPU
		r.Recall.AllocWithout += x.Alloc
		delete(lines, x.Place) // the finding covers less than half of it
		r.Unexplained = append(r.Unexplained, x)
	}
	r.Recall.Hot = len(lines) + r.Recall.Without
	r.Recall.CPU += r.Recall.CPUWithout
	r.Recall.Alloc += r.Recall.AllocWithout
	hottest(r.Unexplained)
	r.Unexplained = r.Unexplained[:min(len(r.Unexplained), mostUnexplained)]
}

// tried adds the output of whet fix.
func (r *measurement) tried(f *fix.Result) {
	r.Failing = f.Failing
	for i := range f.Attempts {
		a := &f.Attempts[i]
		if a.Measured != nil && a.Measured.AB != nil && r.Machine == "" {
			r.Machine = machine(a.Measured.AB.Machine)
		}
		if x := r.finding(a.Finding.ID); x != nil {
			x.tried(a)
			continue
		}
		j := slices.IndexFunc(r.Later, func(x finding) bool { return x.ID == a.Finding.ID })
		if j < 0 {
			j = len(r.Later)
			r.Later = append(r.Later, found(&a.Finding))
		}
		r.Later[j].tried(a)
	}
}

func (r *measurement) finding(id string) *finding {
	for i := range r.Findings {
		if r.Findings[i].ID == id {
			return &r.Findings[i]
		}
	}
	return nil
}

// rewrites returns the number of findings with a rewrite that may be tried.
func (r *measurement) rewrites() int { return r.count(untried) }

func (r *measurement) count(o outcome) int {
	n := 0
	for i := range r.Findings {
		if r.Findings[i].Outcome == o {
			n++
		}
	}
	return n
}

func (r *measurement) summary() string {
	text := fmt.Sprintf("%d findings in %v", len(r.Findings), r.Elapsed)
	for _, o := range outcomes() {
		if n := r.count(o); n > 0 {
			text += fmt.Sprintf(", %d %s", n, o)
		}
	}
	return text
}

// finite returns x, or 0 if JSON cannot represent it.
func finite(x float64) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return 0
	}
	return x
}

func machine(m ab.Machine) string {
	return fmt.Sprintf("%s, %d CPUs, %s, %s/%s", m.CPU, m.Processors, m.Go, m.GOOS, m.GOARCH)
}

func resultsFile(dir string) string { return filepath.Join(dir, "precision", "results.json") }

// read returns the stored results; empty ones if there are none.
func read(dir string) (*results, error) {
	data, err := os.ReadFile(resultsFile(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return &results{Schema: schema}, nil
	}
	if err != nil {
		return nil, err
	}
	var r results
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, fmt.Errorf("read results %q: %w", resultsFile(dir), err)
	}
	if r.Schema != schema {
		return nil, fmt.Errorf("read results %q: schema %q (want %q): remove it and measure again (make precision)",
			resultsFile(dir), r.Schema, schema)
	}
	return &r, nil
}

// has reports whether this version of a module was measured.
func (r *results) has(m module) bool {
	return slices.ContainsFunc(r.Modules, func(x measurement) bool { return x.Path == m.path && x.Version == m.version })
}

// put stores a module's measurement and replaces an older one.
func (r *results) put(x *measurement) {
	r.Modules = slices.DeleteFunc(r.Modules, func(o measurement) bool { return o.Name == x.Name })
	r.Modules = append(r.Modules, *x)
	at := map[string]int{}
	for i, m := range modules() {
		at[m.name] = i + 1
	}
	// Drop modules that are no longer on the list.
	r.Modules = slices.DeleteFunc(r.Modules, func(o measurement) bool { return at[o.Name] == 0 })
	slices.SortFunc(r.Modules, func(a, b measurement) int { return cmp.Compare(at[a.Name], at[b.Name]) })
}

// write stores results and the page, the page first: it fails if a judgment is invalid.
func write(dir string, r *results) error {
	text, err := page(r, judgedJSON)
	if err != nil {
		return err
	}
	data, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(resultsFile(dir)), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(resultsFile(dir), append(data, '\n'), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "precision.md"), text, 0o644)
}
