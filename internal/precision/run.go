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
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/fix"
)

// Of how whet is run.
const (
	minShare  = "1%"
	benchTime = "100ms" // of each benchmark that is recorded: modules have hundreds
	fuzzTime  = "3s"    // of each function that is compared

	// recordTime is how long a module's benchmarks may take in all.
	recordTime = 3 * time.Minute
	// baseTime is what whet fix needs before the first rewrite, and for the comparison at the end.
	baseTime = 90 * time.Second
	// benchmarksOf is how many benchmarks whet fix may compare for a rewrite, and proofsOf how much of
	// a rewrite's time is left for them; the rest is for builds, tests and the fuzzer.
	benchmarksOf = 4
	proofsOf     = 0.6

	// killWait is how long a program may take to end after it was asked to.
	killWait = 20 * time.Second
)

// A sitting measures modules on this machine, one after the other.
type sitting struct {
	whet string // the binary
	work string // directory for copies and recordings
	time time.Duration
	log  io.Writer
}

// command runs a program and returns its standard output. When ctx ends, the program is interrupted
// as by Ctrl-C, and what it wrote is returned with the error.
func (s *sitting) command(ctx context.Context, dir, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	var out, said bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &said
	cmd.Env = append(os.Environ(), "GOWORK=off")
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGINT) }
	cmd.WaitDelay = killWait
	if err := cmd.Run(); err != nil {
		return out.Bytes(), fmt.Errorf("%s %s: %w: %s", filepath.Base(name), strings.Join(args, " "), err,
			lastLines(said.String()))
	}
	return out.Bytes(), nil
}

// lastLines is the end of what a program said.
func lastLines(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-5):], "\n")
}

// measure records a module, looks for findings and tries their rewrites.
func (s *sitting) measure(ctx context.Context, m module) (*measurement, error) {
	began := time.Now()
	say := func(what string) { _, _ = fmt.Fprintf(s.log, "%s: %s\n", m.name, what) }
	say("copy " + m.path + " " + m.version)
	dir, err := s.copy(ctx, m)
	if err != nil {
		return nil, err
	}
	r := &measurement{Name: m.name, Path: m.path, Version: m.version, RewriteTime: s.time}
	if r.Lines, err = countLines(dir); err != nil {
		return nil, err
	}
	say("record " + strings.Join(m.packages, " "))
	rec := filepath.Join(s.work, m.name+".whet")
	if err := s.record(ctx, m, dir, rec); err != nil {
		return nil, err
	}
	say("find")
	out, err := s.command(ctx, dir, s.whet, "find", "--json", "--min-share", minShare, rec)
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

// copy takes a module from the proxy into its own repository.
func (s *sitting) copy(ctx context.Context, m module) (dir string, err error) {
	dir = filepath.Join(s.work, m.name)
	if err := os.RemoveAll(dir); err != nil {
		return "", err
	}
	if err := os.MkdirAll(s.work, 0o750); err != nil {
		return "", err
	}
	out, err := s.command(ctx, s.work, "go", "mod", "download", "-json", m.path+"@"+m.version)
	var got struct{ Dir, Error string }
	if jsonErr := json.Unmarshal(out, &got); jsonErr == nil && got.Error != "" {
		return "", fmt.Errorf("download %s: %s", m.path, got.Error)
	}
	if err != nil {
		return "", err
	}
	if err := os.CopyFS(dir, os.DirFS(got.Dir)); err != nil {
		return "", err
	}
	// Those of the module cache may not be written to.
	if err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() {
			return os.Chmod(name, 0o750)
		}
		return os.Chmod(name, 0o640)
	}); err != nil {
		return "", err
	}
	for _, args := range [][]string{
		{"init", "-q"},
		{"add", "-A"},
		{"-c", "user.name=whet", "-c", "user.email=whet@localhost", "commit", "-q", "-m", m.path + " " + m.version},
	} {
		if _, err := s.command(ctx, dir, "git", args...); err != nil {
			return "", err
		}
	}
	// What the module needs, tests included: whet itself is not to be measured downloading.
	if _, err := s.command(ctx, dir, "go", "vet", "./..."); ctx.Err() != nil {
		return "", err
	}
	return dir, nil
}

// record runs a module's benchmarks, unless an earlier run has recorded this version.
func (s *sitting) record(ctx context.Context, m module, dir, file string) error {
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
	if _, err := s.command(limited, dir, s.whet, args...); err != nil {
		return err
	}
	return os.WriteFile(stamp, []byte(m.path+" "+m.version), 0o600)
}

// fix tries the rewrites of a module within the time for n of them.
func (s *sitting) fix(ctx context.Context, dir, rec string, r *measurement, n int) error {
	limited, cancel := context.WithTimeout(ctx, baseTime+time.Duration(n)*s.time)
	defer cancel()
	each := max(time.Second, time.Duration(proofsOf*float64(s.time)/benchmarksOf))
	out, err := s.command(limited, dir, s.whet, "fix", "--settings=false", "--json", "--review=false",
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

// countLines is how many lines of Go a module has outside tests.
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
