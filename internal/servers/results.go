package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/find/dependencies"
	"github.com/whet-go/whet/find/diagnosis"
	"github.com/whet-go/whet/fix"
	"github.com/whet-go/whet/internal/tempfile"
)

// Results are what was measured, by server.
type results struct {
	Servers []*measurement `json:"servers"`
}

// A measurement is what whet says about a server.
type measurement struct {
	Name    string        `json:"name"`
	Module  string        `json:"module"`
	Version string        `json:"version"`
	Date    string        `json:"date"`
	Build   time.Duration `json:"build_ns"`
	Load    string        `json:"load_average"` // of the machine before the recording

	PerRequest time.Duration    `json:"cpu_per_request_ns,omitempty"`
	Hottest    []line           `json:"hottest"` // own lines
	Findings   []string         `json:"findings,omitempty"`
	Advice     []string         `json:"advice,omitempty"`
	Candidates int              `json:"candidates"`
	Calls      []dependency     `json:"calls,omitempty"`
	Upstream   []upstreamResult `json:"upstream,omitempty"`
	Outcomes   map[string]int   `json:"outcomes,omitempty"` // of own rewrites and candidates
	Kept       []string         `json:"kept,omitempty"`
	Ended      bool             `json:"ended_early,omitempty"`
}

// A line is a hot line with its diagnosis.
type line struct {
	Where string  `json:"where"`
	Code  string  `json:"code"`
	Share float64 `json:"share"` // of the profile of the first diagnosis
	Cost  string  `json:"cost"`
	Kind  string  `json:"kind"`
}

// A dependency is a call of another module.
type dependency struct {
	Where        string   `json:"where"`
	Callee       string   `json:"callee"`
	Share        float64  `json:"share"`
	Memory       float64  `json:"memory"`
	Hottest      string   `json:"hottest"`
	Counts       []string `json:"counts,omitempty"`
	Alternatives []string `json:"alternatives,omitempty"`
}

// An upstreamResult is what was found and proven in a copy of a dependency.
type upstreamResult struct {
	Module     string         `json:"module"`
	Version    string         `json:"version"`
	Skipped    string         `json:"skipped,omitempty"`
	Findings   int            `json:"findings"`   // with a rewrite
	Candidates int            `json:"candidates"` // unproven
	Outcomes   map[string]int `json:"outcomes,omitempty"`
	Kept       []string       `json:"kept,omitempty"`
}

// Limits of what a measurement lists.
const (
	maxHottest = 3
	maxCalls   = 4
)

// found adds what whet find says.
func (m *measurement) found(r *find.Result) {
	m.PerRequest = r.PerRequest
	for _, d := range r.Diagnoses {
		if d.Test || len(d.Costs) == 0 || len(m.Hottest) >= maxHottest {
			continue
		}
		c := d.Costs[0]
		m.Hottest = append(m.Hottest, line{
			Where: fmt.Sprintf("%s:%d", d.File, d.Line), Code: codeOf(r, d.File, d.Line), Share: c.Line, Cost: string(c.Cost),
			Kind: string(c.Kind),
		})
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		m.Findings = append(m.Findings, fmt.Sprintf("%s at %s (at most %s)", f.Title, f.Where(), share(f.Saving)))
	}
	for _, a := range r.Advice {
		m.Advice = append(m.Advice, fmt.Sprintf("%s at %s (%s of %s)", a.Title, a.Where(), share(a.Share), a.Of))
	}
	m.Candidates = len(r.Candidates)
	for i := range r.Dependencies[:min(len(r.Dependencies), maxCalls)] {
		m.Calls = append(m.Calls, dependencyOf(&r.Dependencies[i]))
	}
	for _, u := range r.Upstream {
		one := upstreamResult{Module: u.Module, Version: u.Version, Candidates: len(u.Candidates)}
		for i := range u.Findings {
			if u.Findings[i].Rewrites() {
				one.Findings++
			}
		}
		if len(u.Totals) == 0 && len(u.Warnings) > 0 {
			one.Skipped = u.Warnings[0].Text
		}
		m.Upstream = append(m.Upstream, one)
	}
}

// dependencyOf returns what a page shows of a call.
func dependencyOf(c *dependencies.Call) dependency {
	d := dependency{
		Where: fmt.Sprintf("%s:%d", c.File, c.Line), Callee: c.Callee, Share: c.CPU.Share, Memory: c.Memory.Share,
	}
	if len(c.Hottest) > 0 {
		l := c.Hottest[0]
		d.Hottest = fmt.Sprintf("%s/%s:%d (%s)", l.Module, l.File, l.Line, share(l.Share))
	}
	for _, x := range c.Counts {
		text := fmt.Sprintf("%s: %d", x.What, x.Times)
		if x.PerRequest > 0 {
			text = fmt.Sprintf("%s: %.3g per request", x.What, x.PerRequest)
		}
		d.Counts = append(d.Counts, text)
	}
	for _, a := range c.Alternatives {
		d.Alternatives = append(d.Alternatives, a.Name)
	}
	return d
}

// codeOf returns the source of a line that the result lists; "" if it does not.
func codeOf(r *find.Result, file string, n int) string {
	for _, h := range r.Unexplained {
		if h.File == file && h.Line == n {
			return h.Code
		}
	}
	for i := range r.Findings {
		for _, p := range r.Findings[i].Places {
			if p.File == file && p.Line <= n && n <= p.EndLine {
				return p.Code
			}
		}
	}
	return ""
}

// tried adds what whet fix says.
func (m *measurement) tried(r *fix.Result) {
	m.Outcomes, m.Kept = outcomes(r)
	m.Ended = r.Interrupted
	for _, u := range r.Upstream {
		i := slices.IndexFunc(m.Upstream, func(x upstreamResult) bool { return x.Module == u.Module })
		if i < 0 {
			continue
		}
		m.Upstream[i].Outcomes, m.Upstream[i].Kept = outcomes(u)
		if u.Rounds == 0 && len(u.Warnings) > 0 && m.Upstream[i].Skipped == "" { // it was not even built
			m.Upstream[i].Skipped = u.Warnings[0].Text
		}
	}
}

// outcomes counts the outcomes of rewrites and candidates, and lists what was kept.
func outcomes(r *fix.Result) (by map[string]int, kept []string) {
	by = map[string]int{}
	for i := range r.Attempts {
		a := &r.Attempts[i]
		switch {
		case a.Kept():
			by["kept"]++
			kept = append(kept, fmt.Sprintf("%s at %s", a.Finding.Title, a.Finding.Where()))
		case a.Outcome != "":
			by[string(a.Outcome)]++
		default:
			by["dropped at "+string(a.Stage)]++
		}
	}
	for i := range r.Untried {
		if r.Untried[i].Tier == find.Proposed {
			by["not tried"]++
		}
	}
	return by, kept
}

// summary returns what was found, in a line.
func (m *measurement) summary() string {
	return fmt.Sprintf("%d findings, %d pieces of advice, %d candidates, %d calls of dependencies, %d kept",
		len(m.Findings), len(m.Advice), m.Candidates, len(m.Calls), len(m.Kept))
}

// memory is the cost that is not CPU time.
const memory = string(diagnosis.Memory)

// has reports whether a server was measured in its version.
func (r *results) has(s server) bool {
	return slices.ContainsFunc(r.Servers, func(m *measurement) bool {
		return m.Name == s.name && m.Module == s.module && m.Version == s.version
	})
}

// put adds a measurement, in the order of the servers.
func (r *results) put(m *measurement) {
	r.Servers = slices.DeleteFunc(r.Servers, func(o *measurement) bool { return o.Name == m.Name })
	r.Servers = append(r.Servers, m)
	at := func(m *measurement) int {
		return slices.IndexFunc(servers(), func(s server) bool { return s.name == m.Name })
	}
	slices.SortStableFunc(r.Servers, func(a, b *measurement) int { return at(a) - at(b) })
}

// resultsFile is the name of the stored results, relative to the directory of measured pages.
const resultsFile = "servers/results.json"

// read reads the results of earlier runs.
func read(dir string) (*results, error) {
	r := &results{}
	data, err := os.ReadFile(filepath.Join(dir, resultsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(data, r); err != nil {
		return nil, fmt.Errorf("read %s: %w", resultsFile, err)
	}
	return r, nil
}

// write writes the results and the page.
func write(dir string, r *results) error {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "\t")
	if err := e.Encode(r); err != nil {
		return err
	}
	text, err := page(r)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(resultsFile)), 0o750); err != nil {
		return err
	}
	for name, data := range map[string][]byte{resultsFile: out.Bytes(), "servers.md": text} {
		if _, err := tempfile.Replace(filepath.Join(dir, name), func(w io.Writer) error {
			_, err := w.Write(data)
			return err
		}); err != nil {
			return err
		}
	}
	return nil
}
