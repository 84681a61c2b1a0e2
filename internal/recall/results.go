package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/whet-go/whet/find/diagnosis"
)

// schema is the schema of results as JSON.
const schema = "whet.recall/2"

// results are the measurements of all cases, by name.
type results struct {
	Schema string         `json:"schema"`
	Cases  []*measurement `json:"cases"`
}

// A measurement is what whet finds, proposes and proves where maintainers made code faster.
type measurement struct {
	Name  string `json:"name"`
	Key   string `json:"key"`             // of the case; one that was edited is measured again
	Error string `json:"error,omitempty"` // why there is none

	// gained is the gain of the maintainers' change; none if no benchmark gains enough here, so that the case does not
	// count.
	gained
	Written bool `json:"written,omitempty"` // whet has written the benchmarks

	Diagnosed bool             `json:"diagnosed"`         // a changed line has a diagnosis
	Kinds     []diagnosis.Kind `json:"kinds,omitempty"`   // of these diagnoses
	Right     bool             `json:"right"`             // one of them is the reviewer's
	Proposed  bool             `json:"proposed"`          // a function of the change has a rewrite or a candidate
	By        []string         `json:"by,omitempty"`      // rules and generators of these
	Kept      []string         `json:"kept,omitempty"`    // those that whet fix has proven
	Dropped   []string         `json:"dropped,omitempty"` // the others, with the stage and the reason
	Ours      *float64         `json:"ours,omitempty"`    // ratio of what is kept, in the same unit; nil without one

	Budget  time.Duration `json:"budget_ns"` // for trying candidates
	Elapsed time.Duration `json:"elapsed_ns"`
}

func resultsFile(dir string) string { return filepath.Join(dir, "recall", "results.json") }

// read returns the stored results; empty ones if there are none.
func read(dir string) (*results, error) {
	data, err := readFile(resultsFile(dir))
	if err != nil || data == nil {
		return &results{Schema: schema}, err
	}
	var r results
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, fmt.Errorf("read results %q: %w", resultsFile(dir), err)
	}
	if r.Schema != schema {
		return nil, fmt.Errorf("read results %q: schema %q (want %q): remove it and measure again (make recall)",
			resultsFile(dir), r.Schema, schema)
	}
	return &r, nil
}

// of returns the measurement of a case; nil if there is none.
func (r *results) of(name string) *measurement {
	i := slices.IndexFunc(r.Cases, func(m *measurement) bool { return m.Name == name })
	if i < 0 {
		return nil
	}
	return r.Cases[i]
}

// has reports whether a case was measured as it is now.
func (r *results) has(name, key string) bool {
	m := r.of(name)
	return m != nil && m.Key == key
}

// usual returns how long a case takes; 0 if that is unknown.
func (r *results) usual() time.Duration {
	var sum time.Duration
	n := 0
	for _, m := range r.Cases {
		if m.Elapsed > 0 {
			sum += m.Elapsed
			n++
		}
	}
	if n == 0 {
		return 0
	}
	return sum / time.Duration(n)
}

// put stores a measurement and replaces an older one. Those of cases that are no longer listed are dropped.
func (r *results) put(m *measurement, cases []testCase) {
	r.Cases = slices.DeleteFunc(r.Cases, func(o *measurement) bool {
		return o.Name == m.Name || !slices.ContainsFunc(cases, func(c testCase) bool { return c.Name == o.Name })
	})
	r.Cases = append(r.Cases, m)
	slices.SortFunc(r.Cases, func(a, b *measurement) int { return strings.Compare(a.Name, b.Name) })
}

// write stores results and the page.
func (r *results) write(dir string, cases []testCase) error {
	text, err := page(r, cases)
	if err != nil {
		return err
	}
	data, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(resultsFile(dir)), 0o755); err != nil { //nolint:gosec // part of the documentation
		return err
	}
	if err := os.WriteFile(resultsFile(dir), append(data, '\n'), 0o644); err != nil { //nolint:gosec // the same
		return err
	}
	return os.WriteFile(filepath.Join(dir, "recall.md"), text, 0o644) //nolint:gosec // the same
}
