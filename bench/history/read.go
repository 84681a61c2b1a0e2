package history

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"golang.org/x/perf/benchfmt"

	"github.com/whet-go/whet/bench"
)

// Options configure Read. The zero value is usable.
type Options struct {
	Repository string  // a directory in it, for the order of the commits; "" means the working directory
	Alpha      float64 // share of false positives among the changes; 0 means 0.05
	Confidence float64 // of intervals; 0 means 0.95
}

// ErrEmpty is Read's error when a directory holds no results.
var ErrEmpty = errors.New("no benchmark results by commit")

// A key identifies the series of a measurement.
type key struct {
	pkg, benchmark, unit string
	machine              Machine
}

// A batch holds what one file has for a key: measurements of the commit, and of a base measured
// with it.
type batch struct {
	commit        commitKey
	base          string    // commit
	values, other []float64 // of the commit, of the base
}

type commitKey struct {
	hash  string
	dirty bool
}

// collected holds the contents of a directory's files.
type collected struct {
	commits  map[commitKey]Commit
	batches  map[key][]*batch
	better   map[string]string
	runs     int
	warnings bench.Warnings
}

// Read reads the results in a directory and finds the changes. Files whose names Add does not use
// are ignored; lines that cannot be read become Warnings. Its errors are those of reading and of
// git, and one that wraps ErrEmpty.
func Read(ctx context.Context, dir string, o Options) (r *Report, err error) {
	defer func() { err = hinted(err) }()
	if o.Alpha == 0 {
		o.Alpha = 0.05
	}
	if o.Confidence == 0 {
		o.Confidence = 0.95
	}
	for name, v := range map[string]float64{"alpha": o.Alpha, "confidence": o.Confidence} {
		if !(v > 0 && v < 1) {
			return nil, fmt.Errorf("%s: %v is out of range (want 0 to 1)", name, v)
		}
	}
	c, err := collect(ctx, dir)
	if err != nil {
		return nil, err
	}
	r = &Report{
		Schema: Schema, Alpha: o.Alpha, Confidence: o.Confidence, Runs: c.runs, Warnings: c.warnings, Series: []Series{},
		Changes: []Change{},
	}
	places, err := r.order(ctx, c, o.Repository)
	if err != nil {
		return nil, err
	}
	r.build(c, places)
	return r, r.findChanges(ctx)
}

func collect(ctx context.Context, dir string) (*collected, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("read history: %w", err)
	}
	c := &collected{commits: map[commitKey]Commit{}, batches: map[key][]*batch{}, better: map[string]string{}}
	r := new(benchfmt.Reader)
	for _, entry := range entries {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if !runName.MatchString(entry.Name()) || entry.IsDir() {
			continue
		}
		if err := c.file(r, filepath.Join(dir, entry.Name())); err != nil {
			return nil, err
		}
	}
	if len(c.commits) == 0 {
		return nil, errors.Join(fmt.Errorf("read history %s: %w", dir, ErrEmpty), c.warnings.Err())
	}
	for k := range c.batches {
		switch r.Units().GetBetter(k.unit) {
		case -1:
			c.better[k.unit] = bench.Lower
		case 1:
			c.better[k.unit] = bench.Higher
		}
	}
	return c, nil
}

// file reads one run.
func (c *collected) file(r *benchfmt.Reader, path string) error {
	text, err := read(path, nil)
	if err != nil {
		return err
	}
	return c.add(r, text, path)
}

func (c *collected) add(r *benchfmt.Reader, text []byte, path string) error {
	r.Reset(bytes.NewReader(text), path)
	here := map[key]*batch{}
	wrong := 0
	warn := func(rec benchfmt.Record, text string) {
		if wrong++; wrong <= maxWarnings {
			file, line := rec.Pos()
			c.warnings = append(c.warnings, bench.Warning{Where: fmt.Sprintf("%s:%d", file, line), Text: text})
		}
	}
	for r.Scan() {
		switch rec := r.Result().(type) {
		case *benchfmt.SyntaxError:
			warn(rec, rec.Msg)
		case *benchfmt.Result:
			if problem := c.result(rec, here); problem != "" {
				warn(rec, problem)
			}
		}
	}
	if err := r.Err(); err != nil {
		return fmt.Errorf("read history: after %w", err)
	}
	if wrong > maxWarnings {
		c.warnings.Addf("%s: %d more such lines", path, wrong-maxWarnings)
	}
	if len(here) > 0 {
		c.runs++
	}
	for _, k := range sortedKeys(here, compareKeys) {
		if s := here[k]; len(s.values) > 0 {
			c.batches[k] = append(c.batches[k], s)
		}
	}
	return nil
}

// result sorts a result's values into the batches of its file; it returns what is wrong with it.
func (c *collected) result(r *benchfmt.Result, here map[key]*batch) (problem string) {
	commit := Commit{Hash: r.GetConfig(keyCommit), Dirty: r.GetConfig(keyDirty) == "true"}
	at, err := time.Parse(time.RFC3339, r.GetConfig(keyTime))
	if commit.Hash == "" || err != nil {
		return "no commit and commit-time are set; skipped"
	}
	if !isHash(commit.Hash) {
		return fmt.Sprintf("%q is not a commit; skipped", commit.Hash)
	}
	commit.Time = at.UTC()
	ck := commitKey{commit.Hash, commit.Dirty}
	if old, ok := c.commits[ck]; !ok {
		c.commits[ck] = commit
	} else if !old.Time.Equal(commit.Time) {
		return fmt.Sprintf("commit %s has time %s here and %s elsewhere; skipped", commit.Short(),
			commit.Time.Format(time.RFC3339), old.Time.Format(time.RFC3339))
	}
	benchmark, procs := splitName(r.Name)
	k := key{pkg: r.GetConfig("pkg"), benchmark: benchmark, machine: Machine{
		CPU: r.GetConfig("cpu"), GOOS: r.GetConfig("goos"), GOARCH: r.GetConfig("goarch"), GOMAXPROCS: procs,
		Go: r.GetConfig(keyGo),
	}}
	base := r.GetConfig(keySide) == sideBase
	for _, v := range r.Values {
		if math.IsNaN(v.Value) || math.IsInf(v.Value, 0) {
			problem = fmt.Sprintf("%v %s is not a measurement; skipped", v.Value, v.Unit)
			continue
		}
		k.unit = v.Unit
		s := here[k]
		if s == nil {
			s = &batch{commit: ck}
			here[k] = s
		}
		if s.base == "" {
			s.base = r.GetConfig(keyBase)
		}
		switch {
		case s.commit != ck:
			return "another commit than in the lines before; skipped"
		case base:
			s.other = append(s.other, v.Value)
		default:
			s.values = append(s.values, v.Value)
		}
	}
	return problem
}

// isHash reports whether a text can be a commit's hash.
func isHash(s string) bool {
	for _, r := range s {
		if !(r >= '0' && r <= '9' || r >= 'a' && r <= 'f') {
			return false
		}
	}
	return len(s) >= 4 && len(s) <= 64
}

// splitName splits the GOMAXPROCS suffix from a benchmark's name; it is absent when it is 1.
func splitName(n benchfmt.Name) (name string, procs int) {
	_, parts := n.Parts()
	if len(parts) > 0 {
		if last := string(parts[len(parts)-1]); last[0] == '-' {
			if procs, err := strconv.Atoi(last[1:]); err == nil {
				return string(n[:len(n)-len(last)]), procs
			}
		}
	}
	return string(n), 1
}

// order sorts the commits and returns their positions.
func (r *Report) order(ctx context.Context, c *collected, repository string) (map[commitKey]int, error) {
	keys := slices.Collect(maps.Keys(c.commits))
	slices.SortFunc(keys, func(a, b commitKey) int {
		dirty := 0
		if a.dirty != b.dirty {
			dirty = 1
			if b.dirty {
				dirty = -1
			}
		}
		return cmp.Or(c.commits[a].Time.Compare(c.commits[b].Time), cmp.Compare(a.hash, b.hash), dirty)
	})
	var hashes []string
	for _, k := range keys {
		if len(hashes) == 0 || hashes[len(hashes)-1] != k.hash {
			hashes = append(hashes, k.hash)
		}
	}
	place, subjects, err := order(ctx, repository, hashes)
	if err != nil {
		return nil, err
	}
	r.Order = OrderTime
	if place != nil {
		r.Order = OrderGit
		slices.SortStableFunc(keys, func(a, b commitKey) int { return cmp.Compare(place[a.hash], place[b.hash]) })
	}
	out := map[commitKey]int{}
	for i, k := range keys {
		commit := c.commits[k]
		commit.Subject = subjects[k.hash]
		r.Commits = append(r.Commits, commit)
		out[k] = i
	}
	return out, nil
}

func compareKeys(a, b key) int {
	return cmp.Or(cmp.Compare(a.pkg, b.pkg), cmp.Compare(a.benchmark, b.benchmark), compareUnits(a.unit, b.unit),
		compareMachines(a.machine, b.machine))
}

// compareUnits sorts the units of go test first, in its order.
func compareUnits(a, b string) int {
	first := []string{"b/s", "allocs/op", "B/op", "sec/op"}
	return cmp.Or(cmp.Compare(slices.Index(first, b), slices.Index(first, a)), cmp.Compare(a, b))
}

func compareMachines(a, b Machine) int {
	return cmp.Or(cmp.Compare(a.CPU, b.CPU), cmp.Compare(a.GOOS, b.GOOS), cmp.Compare(a.GOARCH, b.GOARCH),
		cmp.Compare(a.GOMAXPROCS, b.GOMAXPROCS), cmp.Compare(a.Go, b.Go))
}

func sortedKeys[K comparable, V any](m map[K]V, compare func(a, b K) int) []K {
	keys := slices.Collect(maps.Keys(m))
	slices.SortFunc(keys, compare)
	return keys
}
