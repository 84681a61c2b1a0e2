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
	corpus      string // directory of internal/power
	work        string // directory for copies
	modules     string // directory for modules, which later runs use again
	budget      time.Duration
	log         io.Writer
}

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
	say := func(what string) { _, _ = fmt.Fprintf(s.log, "%s: %s\n", c.Name, what) }
	dir, err := os.MkdirTemp(s.work, "case")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	say("make both versions")
	args := []string{"versions", "-dir", s.corpus, "-work", s.modules, c.Name, dir}
	if _, err := modproxy.Output(ctx, ".", s.power, args...); err != nil {
		return nil, err
	}
	say("measure the maintainers' change")
	b, err := theirs(ctx, dir)
	if err != nil {
		return nil, err
	}
	m = &measurement{Name: c.Name, Written: b.written, Budget: s.budget}
	if m.Subject, m.Theirs = most(b.measured); m.Subject == "" {
		m.Elapsed = time.Since(began).Round(time.Second)
		return m, nil // nothing has gained enough: it is no case
	}
	where, err := placesOf(b.dir, &b.changed)
	if err != nil {
		return nil, err
	}
	say("record and find")
	rec := filepath.Join(dir, "a.whet")
	if _, err := modproxy.Output(ctx, b.dir, s.whet, "record", b.patterns, "--bench", b.bench, "--benchtime", benchTime,
		"-o", rec); err != nil {
		return nil, err
	}
	var looked find.Result
	if err := s.json(ctx, b.dir, &looked, "find", "--json", "--min-share", minShare, rec); err != nil {
		return nil, err
	}
	m.looked(c, &looked, where)
	if m.Proposed {
		say("fix")
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

// theirs measures the change from a to b in a directory. The old version with the benchmarks is copied next to them.
func theirs(ctx context.Context, dir string) (*benched, error) {
	v, err := prove.Dirs(ctx, filepath.Join(dir, "a"), filepath.Join(dir, "b"))
	if err != nil {
		return nil, err
	}
	out := &benched{dir: filepath.Join(dir, "benched")}
	var failed error
	r, err := prove.Run(ctx, prove.Request{Versions: v, Budget: provingTime, Options: prove.Options{
		Env: []string{"GOWORK=off"}, FuzzInputs: fuzzInputs, AB: ab.Options{Precision: precision, MaxTime: maxTime},
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

// leastGain is the gain of time below which a change is no case.
const leastGain = 0.1

// most returns the benchmark that gains most, if that is proven to be leastGain or more, and its ratio of times; ""
// for none.
func most(r *ab.Result) (subject string, ratio float64) {
	ratio = 1 - leastGain
	for _, s := range r.Subjects {
		i := slices.IndexFunc(s.Units, func(u ab.Unit) bool { return u.Unit == "sec/op" && u.Verdict == ab.Better })
		if i >= 0 && float64(s.Units[i].Ratio) <= ratio {
			subject, ratio = s.Name, float64(s.Units[i].Ratio)
		}
	}
	return subject, ratio
}
