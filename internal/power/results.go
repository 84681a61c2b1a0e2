package main

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/whet-go/whet/prove"
)

// schema is the schema of results as JSON.
const schema = "whet.prove-power/1"

// results are the records of all cases that were run, by name.
type results struct {
	Schema string    `json:"schema"`
	Open   int       `json:"open"` // cases of the corpus that are not held back
	Held   int       `json:"held"` // the others
	Cases  []*record `json:"cases"`
	// Compared are the cases of which only the comparison of old and new code was run, by name.
	Compared []*comparison `json:"compared,omitempty"`
}

// key returns a hash of what a case is, without its label.
func (c *testCase) key() string {
	of := *c
	of.Label, of.Why = "", ""
	text, _ := json.Marshal(of) // strings only
	if c.archive != nil {
		text = c.archive
	}
	return fmt.Sprintf("%x", sha256.Sum256(text))[:12]
}

func resultsFile(dir string) string { return filepath.Join(dir, "results.json") }

// readResults returns the stored results; empty ones if there are none.
func readResults(dir string) (*results, error) {
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
		return nil, fmt.Errorf("read results %q: schema %q (want %q): remove it and measure again (make prove-power)",
			resultsFile(dir), r.Schema, schema)
	}
	return &r, nil
}

func (r *results) find(name string) (int, bool) {
	return slices.BinarySearchFunc(r.Cases, name, func(x *record, name string) int { return cmp.Compare(x.Name, name) })
}

// has reports whether a case was judged as it is now.
func (r *results) has(c *testCase) bool {
	i, found := r.find(c.Name)
	return found && r.Cases[i].Key == c.key()
}

// keep removes the records of cases that are no longer in the corpus, or were edited, and counts the
// corpus. Labels and reasons are those of now.
func (r *results) keep(all []*testCase) {
	by := map[string]*testCase{}
	r.Open, r.Held = 0, 0
	for _, c := range all {
		by[c.Name] = c
		if c.held() {
			r.Held++
		} else {
			r.Open++
		}
	}
	r.Cases = slices.DeleteFunc(r.Cases, func(x *record) bool { return by[x.Name] == nil || by[x.Name].key() != x.Key })
	for _, x := range r.Cases {
		x.describe(by[x.Name])
	}
	r.Compared = slices.DeleteFunc(r.Compared, func(x *comparison) bool {
		return by[x.Name] == nil || by[x.Name].key() != x.Key
	})
	for _, x := range r.Compared {
		x.Label = by[x.Name].Label
	}
}

// wasCompared reports whether the comparison of a case was run as it is now.
func (r *results) wasCompared(c *testCase) bool {
	i, found := r.findCompared(c.Name)
	return found && r.Compared[i].Key == c.key()
}

func (r *results) findCompared(name string) (int, bool) {
	return slices.BinarySearchFunc(r.Compared, name, func(x *comparison, name string) int {
		return cmp.Compare(x.Name, name)
	})
}

// putCompared stores a comparison and replaces an older one.
func (r *results) putCompared(x *comparison) {
	if i, found := r.findCompared(x.Name); found {
		r.Compared[i] = x
	} else {
		r.Compared = slices.Insert(r.Compared, i, x)
	}
}

// put stores a record and replaces an older one.
func (r *results) put(x *record) {
	i, found := r.find(x.Name)
	if found {
		r.Cases[i] = x
		return
	}
	r.Cases = slices.Insert(r.Cases, i, x)
}

// write stores the results.
func (r *results) write(dir string) error {
	data, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(resultsFile(dir), append(data, '\n'), 0o644) //nolint:gosec // it is committed
}

// accepted reports whether a change was accepted: the exit code is 0.
func (x *record) accepted() bool {
	return x.Outcome == prove.OutcomeFaster || x.Outcome == prove.OutcomeSameSpeed
}

// isFalseAccept reports whether a change was accepted, and should not be.
func (x *record) isFalseAccept() bool { return x.Label != same && x.accepted() }

// isFalseReject reports whether a change that behaves the same was rejected.
func (x *record) isFalseReject() bool {
	return x.Label == same && (x.Outcome == prove.OutcomeDifferent || x.Outcome == prove.OutcomeBroken)
}
