package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/fix"
	"github.com/whet-go/whet/internal/modproxy"
)

// Settings of whet's runs.
const (
	minShare  = "1%"
	benchTime = "100ms" // of each recorded benchmark: modules have hundreds
	fuzzTime  = "3s"    // of each compared function

	// recordTime limits the time of a module's benchmarks in total.
	recordTime = 3 * time.Minute
	// baseTime is the time that whet fix needs before the first rewrite, and for the comparison at
	// the end.
	baseTime = 90 * time.Second
	// benchmarksOf limits the benchmarks that whet fix compares for a rewrite, and proofsOf is the
	// part of a rewrite's time for them; the rest is for builds, tests and the fuzzer.
	benchmarksOf = 4
	proofsOf     = 0.6
)

// A session measures modules on this machine, one after the other.
type session struct {
	whet string // the binary
	work string // directory for copies and recordings
	time time.Duration
	log  io.Writer
}

// measure records a module, looks for findings and tries their rewrites.
func (s *session) measure(ctx context.Context, m module) (*measurement, error) {
	began := time.Now()
	say := func(what string) { _, _ = fmt.Fprintf(s.log, "%s: %s\n", m.name, what) }
	say("copy " + m.path + " " + m.version)
	dir := filepath.Join(s.work, m.name)
	if err := modproxy.Copy(ctx, m.path, m.version, dir); err != nil {
		return nil, err
	}
	if err := modproxy.Fetch(ctx, dir); err != nil {
		return nil, err
	}
	r := &measurement{Name: m.name, Path: m.path, Version: m.version, RewriteTime: s.time}
	var err error
	if r.Lines, err = countLines(dir); err != nil {
		return nil, err
	}
	say("record " + strings.Join(m.packages, " "))
	rec := filepath.Join(s.work, m.name+".whet")
	if err := s.record(ctx, m, dir, rec); err != nil {
		return nil, err
	}
	say("find")
	out, err := modproxy.Output(ctx, dir, s.whet, "find", "--json", "--min-share", minShare, rec)
	if err != nil {
		return nil, err
	}
	var looked find.Result
	if err := json.Unmarshal(out, &looked); err != nil {
		return nil, fmt.Errorf("read what whet find wrote: %w", err)
	}
	r.found(&looked)
	if n := r.rewrites(); n > 0 {
		say(fmt.Sprintf("fix: %d rewrites", n))
		if err := s.fix(ctx, dir, rec, r, n); err != nil {
			return nil, err
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r.Elapsed = time.Since(began).Round(time.Second)
	say(r.summary())
	return r, nil
}

// record runs a module's benchmarks, unless an earlier run has recorded this version.
func (s *session) record(ctx context.Context, m module, dir, file string) error {
	stamp := file + ".of"
	if was, err := os.ReadFile(stamp); err == nil && string(was) == m.path+" "+m.version {
		if _, err := os.Stat(file); err == nil {
			return nil
		}
	}
	if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, recordTime)
	defer cancel()
	args := slices.Concat([]string{"record"}, m.packages,
		[]string{"--bench", cmp.Or(m.bench, "."), "--benchtime", benchTime, "-o", file})
	if _, err := modproxy.Output(limited, dir, s.whet, args...); err != nil {
		return err
	}
	return os.WriteFile(stamp, []byte(m.path+" "+m.version), 0o600)
}

// fix tries the rewrites of a module within the time for n of them.
func (s *session) fix(ctx context.Context, dir, rec string, r *measurement, n int) error {
	limited, cancel := context.WithTimeout(ctx, baseTime+time.Duration(n)*s.time)
	defer cancel()
	each := max(time.Second, time.Duration(proofsOf*float64(s.time)/benchmarksOf))
	out, err := modproxy.Output(limited, dir, s.whet, "fix", "--settings=false", "--json", "--review=false",
		"--min-share", minShare,
		"--precision", fmt.Sprintf("%g%%", 100*precision), "--fuzz-time", fuzzTime, "--max-time", each.String(), rec)
	if err != nil && (limited.Err() == nil || len(out) == 0) {
		return err
	}
	var result fix.Result
	if err := json.Unmarshal(out, &result); err != nil {
		return fmt.Errorf("read what whet fix wrote: %w", err)
	}
	r.tried(&result)
	return nil
}

// countLines returns the number of lines of Go in a module, without tests.
func countLines(dir string) (int, error) {
	n := 0
	err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if base := e.Name(); e.IsDir() && name != dir && (base == "testdata" || strings.HasPrefix(base, ".") ||
			strings.HasPrefix(base, "_")) {
			return fs.SkipDir
		}
		if e.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(name)
		n += bytes.Count(text, []byte("\n"))
		return err
	})
	return n, err
}
