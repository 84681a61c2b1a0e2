package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"time"

	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/bench/builds"
	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/fix"
	"github.com/whet-go/whet/internal/modproxy"
	"github.com/whet-go/whet/prove"
)

// Settings of whet's runs.
const (
	minShare   = "1%"
	precision  = 0.01
	maxTime    = 10 * time.Second
	benchTime  = "1s" // of each recorded benchmark
	fuzzTime   = "3s"
	fuzzInputs = 1000 // of the maintainers' change, which a reviewer has read
	// provingTime limits the proof of the maintainers' change, and fixingTime whet fix besides its budget.
	provingTime = 4 * time.Minute
	fixingTime  = 3 * time.Minute
)

// A session measures cases on this machine, one after the other.
type session struct {
	whet, power string // binaries
	changes     sources
	carried     map[string]*carriedBenchmark // by case
	work        string                       // directory for copies
	modules     string                       // directory for modules, which later runs use again
	budget      time.Duration
	log         io.Writer
	shown       string // before each line of the log, for the case that is measured
}

func (s *session) say(what string) { _, _ = fmt.Fprintf(s.log, "%s: %s\n", s.shown, what) }

// A benched is the old version with the benchmarks of a change, and the maintainers' gain on them.
type benched struct {
	dir, patterns, bench string // of the module, and what to run
	written              bool   // whet has written the benchmarks
	changed              prove.Changed
	measured             *ab.Result
}

// measure measures a case.
func (s *session) measure(ctx context.Context, c *testCase) (m *measurement, err error) {
	defer func() {
		if bad := recover(); bad != nil {
			err = fmt.Errorf("panic: %v\n%s", bad, debug.Stack())
		}
	}()
	began := time.Now()
	dir, err := os.MkdirTemp(s.work, "case")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := s.versions(ctx, c, dir); err != nil {
		return nil, err
	}
	s.say("measure the maintainers' change")
	b, err := s.theirs(ctx, c, dir, thorough())
	if err != nil {
		return nil, err
	}
	m = &measurement{Name: c.Name, Written: b.written, Budget: s.budget}
	if m.gained = most(b.measured, leastGain); m.Subject == "" {
		m.Elapsed = time.Since(began).Round(time.Second)
		return m, nil // nothing has gained enough: it is no case
	}
	where, err := placesOf(b.dir, &b.changed)
	if err != nil {
		return nil, err
	}
	rec, err := s.look(ctx, c, m, dir, b, where)
	if err != nil {
		return nil, err
	}
	if m.Proposed {
		s.say("fix")
		limited, cancel := context.WithTimeout(ctx, fixingTime+2*s.budget)
		defer cancel()
		var fixed fix.Result
		if err := s.json(limited, b.dir, &fixed, "fix", "--json", "--settings=false", "--min-share", minShare, "--bench",
			b.bench, "--precision", fmt.Sprintf("%g%%", 100*precision), "--fuzz-time", fuzzTime, "--max-time",
			maxTime.String(), "--budget", s.budget.String(), rec); err != nil {
			return nil, err
		}
		m.fixed(&fixed, where)
	}
	m.Elapsed = time.Since(began).Round(time.Second)
	return m, ctx.Err()
}

// look records the old version of a case, and takes what whet find says. It returns the recording.
func (s *session) look(
	ctx context.Context, c *testCase, m *measurement, dir string, b *benched, where *places,
) (rec string, err error) {
	s.say("record and find")
	rec = filepath.Join(dir, "a.whet")
	if _, err := modproxy.Output(ctx, b.dir, s.whet, "record", b.patterns, "--bench", b.bench, "--benchtime", benchTime,
		"-o", rec); err != nil {
		return "", err
	}
	var looked find.Result
	if err := s.json(ctx, b.dir, &looked, "find", "--json", "--min-share", minShare, rec); err != nil {
		return "", err
	}
	m.looked(c, &looked, where)
	return rec, nil
}

// lookOnly says what whet find finds of a case with a carried benchmark, without measuring.
func (s *session) lookOnly(ctx context.Context, c *testCase) (m *measurement, err error) {
	dir, err := os.MkdirTemp(s.work, "case")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := s.versions(ctx, c, dir); err != nil {
		return nil, err
	}
	b, err := prepare(ctx, dir, s.carried[c.Name])
	if err != nil {
		return nil, err
	}
	if _, err := modproxy.Output(ctx, b.dir, "git", "init", "-q"); err != nil {
		return nil, err
	}
	where, err := placesOf(b.dir, &b.changed)
	if err != nil {
		return nil, err
	}
	m = &measurement{Name: c.Name}
	_, err = s.look(ctx, c, m, dir, b, where)
	return m, err
}

// json runs whet in a directory, and reads the JSON that it writes, also if it fails.
func (s *session) json(ctx context.Context, dir string, into any, args ...string) error {
	out, err := modproxy.Output(ctx, dir, s.whet, args...)
	if err != nil && len(out) == 0 {
		return err
	}
	if err := json.Unmarshal(out, into); err != nil {
		return fmt.Errorf("read what whet %s wrote: %w", args[0], err)
	}
	return nil
}

// versions makes the two versions of a case, in the directories a and b of a directory.
func (s *session) versions(ctx context.Context, c *testCase, dir string) error {
	s.say("make both versions")
	from, err := s.changes.of(c)
	if err != nil {
		return err
	}
	_, err = modproxy.Output(ctx, ".", s.power, "versions", "-dir", from.dir, "-work", s.modules, c.Name, dir)
	return err
}

// effort is how exactly the maintainers' change is measured.
type effort struct {
	budget, maxTime time.Duration
	precision       float64
	inputs          int
}

// thorough is the effort of measurements that count.
func thorough() effort { return effort{provingTime, maxTime, precision, fuzzInputs} }

// theirs measures the change from a to b in a directory. The old version with the benchmarks is copied next to them.
func (s *session) theirs(ctx context.Context, c *testCase, dir string, e effort) (*benched, error) {
	if b := s.carried[c.Name]; b != nil {
		return carry(ctx, dir, b, e)
	}
	v, err := prove.Dirs(ctx, filepath.Join(dir, "a"), filepath.Join(dir, "b"))
	if err != nil {
		return nil, err
	}
	out := &benched{dir: filepath.Join(dir, "benched")}
	var failed error
	r, err := prove.Run(ctx, prove.Request{Versions: v, Budget: e.budget, Options: prove.Options{
		Env: []string{"GOWORK=off"}, FuzzInputs: e.inputs, AB: ab.Options{Precision: e.precision, MaxTime: e.maxTime},
		RunBenchmarks: func(ctx context.Context, a, b builds.Side, o builds.Options) (*builds.Result, error) {
			if o.Only == nil { // else some of them are measured again
				failed = errors.Join(os.RemoveAll(out.dir), os.CopyFS(out.dir, os.DirFS(a.Dir)))
				out.bench = o.Bench
				if len(o.Patterns) > 0 {
					out.patterns = o.Patterns[0]
				}
			}
			return builds.Run(ctx, a, b, o)
		},
	}})
	if err = errors.Join(err, failed); err != nil {
		return nil, err
	}
	if r.Verdict == nil || r.Verdict.Measured == nil || out.bench == "" {
		return nil, fmt.Errorf("the maintainers' change was not measured: %s: %s", r.Outcome, r.Reason)
	}
	out.written, out.measured, out.changed = r.Verdict.Measured.Written != "", r.Verdict.Measured.AB, r.Changed
	_, err = modproxy.Output(ctx, out.dir, "git", "init", "-q")
	return out, err
}

// leastGain is the gain of time below which a change is no case, and leastMemory that of allocations and bytes.
const (
	leastGain   = 0.1
	leastMemory = 0.1
)

// gained is what a change gains on the benchmark that gains most.
type gained struct {
	Subject string `json:"subject,omitempty"` // the benchmark; "" if none gains enough
	Unit    string `json:"unit,omitempty"`
	// Theirs is the ratio of the unit's values after the maintainers' change and before.
	Theirs float64 `json:"theirs"`
}

// most returns the benchmark that gains most time, if that is proven to be as much as ofTime, or else the one that
// gains most allocations, or bytes.
func most(r *ab.Result, ofTime float64) (g gained) {
	for _, unit := range []string{"sec/op", "allocs/op", "B/op"} {
		limit := 1 - leastMemory
		if unit == "sec/op" {
			limit = 1 - ofTime
		}
		for _, s := range r.Subjects {
			i := slices.IndexFunc(s.Units, func(u ab.Unit) bool { return u.Unit == unit && u.Verdict == ab.Better })
			if i >= 0 && float64(s.Units[i].Ratio) <= limit {
				g = gained{s.Name, unit, float64(s.Units[i].Ratio)}
				limit = g.Theirs
			}
		}
		if g.Subject != "" {
			break
		}
	}
	return g
}
