package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/whet-go/whet/bench"
	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/internal/diag"
)

// schema is the schema of results as JSON.
const schema = "whet.cases/2"

// results are the results of a study's steps, by the step's name.
type results struct {
	Schema      string                `json:"schema"`
	Comparisons map[string]comparison `json:"comparisons,omitempty"`
	Outputs     map[string]output     `json:"outputs,omitempty"`
	Fixes       map[string][]attempt  `json:"fixes,omitempty"` // with a comparison of everything kept
	// Settings are the build and run settings that a step fix tried.
	Settings map[string][]attempt `json:"settings,omitempty"`
	// Left are the findings of a step fix that have no rewrite.
	Left map[string][]attempt `json:"left,omitempty"`
	// Plan describes how long was measured, in results that are not complete yet.
	Plan string `json:"plan,omitempty"`
}

// A comparison is a run of whet bench with two sides.
type comparison struct {
	Command  string        `json:"command"` // as a user would type it
	Result   *ab.Result    `json:"result"`
	Warnings diag.Warnings `json:"warnings,omitempty"` // of services
}

// An output is a view as text.
type output struct {
	Command string `json:"command"`
	Text    string `json:"text"`
}

func newResults() *results {
	return &results{
		Schema: schema, Comparisons: map[string]comparison{}, Outputs: map[string]output{}, Fixes: map[string][]attempt{},
		Settings: map[string][]attempt{}, Left: map[string][]attempt{},
	}
}

// An attempt is the outcome of a finding with a rewrite.
type attempt struct {
	Place  string `json:"place"` // file:line
	Title  string `json:"title"`
	Rule   string `json:"rule,omitempty"`
	Review bool   `json:"review,omitempty"` // it needs review
	Stage  string `json:"stage"`            // kept, or where it was dropped
	Reason string `json:"reason,omitempty"` // why it was dropped
	// Build and Run are the parts of a setting.
	Build []string `json:"build,omitempty"`
	Run   []string `json:"run,omitempty"`
}

// unit returns a figure of a comparison.
func (r *results) unit(p point) (*ab.Unit, error) {
	c, ok := r.Comparisons[p.step]
	if !ok {
		return nil, fmt.Errorf("no comparison %q in the results", p.step)
	}
	i := slices.IndexFunc(c.Result.Subjects, func(s ab.SubjectResult) bool {
		return subjectName(s.Name) == p.subject || p.subject == ""
	})
	if i < 0 {
		return nil, fmt.Errorf("comparison %s has no benchmark %q", p.step, p.subject)
	}
	units := c.Result.Subjects[i].Units
	j := slices.IndexFunc(units, func(u ab.Unit) bool { return u.Unit == p.unit })
	if j < 0 {
		return nil, fmt.Errorf("benchmark %s of comparison %s has no unit %q", p.subject, p.step, p.unit)
	}
	return &units[j], nil
}

// gain returns how many times better B is than A, with the interval's ends: the inverse of the
// ratio if less is better.
func gain(u *ab.Unit) (times, low, high float64) {
	if u.Better == bench.Higher {
		return float64(u.Ratio), float64(u.Low), float64(u.High)
	}
	return 1 / float64(u.Ratio), 1 / float64(u.High), 1 / float64(u.Low)
}

func resultsFile(dir string, s study) string {
	return filepath.Join(dir, "results", s.name+".json")
}

// read returns a study's stored results.
func read(dir string, s study) (*results, error) {
	data, err := os.ReadFile(resultsFile(dir, s))
	if err != nil {
		return nil, err
	}
	r := newResults()
	if err := json.Unmarshal(data, r); err != nil {
		return nil, fmt.Errorf("read results %q: %w", resultsFile(dir, s), err)
	}
	if r.Schema != schema {
		return nil, fmt.Errorf("read results %q: schema %q (want %q): measure again (make cases)",
			resultsFile(dir, s), r.Schema, schema)
	}
	return r, nil
}

// write stores a study's results and its page, the page first: it fails if a figure that it needs
// is missing.
func write(dir string, s study, r *results) error {
	text, err := page(s, r)
	if err != nil {
		return err
	}
	if err := writeResults(dir, s, r); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, s.name+".md"), text, 0o644)
}

// writeResults stores a study's results.
func writeResults(dir string, s study, r *results) error {
	data, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(resultsFile(dir, s)), 0o755); err != nil {
		return err
	}
	return os.WriteFile(resultsFile(dir, s), append(data, '\n'), 0o644)
}

// writeIndex writes the page that links to all pages with results.
func writeIndex(dir string) error {
	text, err := index(dir)
	if err != nil {
		return fmt.Errorf("index: %w", err)
	}
	return os.WriteFile(filepath.Join(dir, "README.md"), text, 0o644)
}
