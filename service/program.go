package service

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/bench/builds"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/procgroup"
)

// A Program configures how builds of one program are started and loaded. The Args of Commands omit
// the program itself, which is built first.
type Program struct {
	Options

	wrap [2][]string // the beginnings of the command lines
}

// Check returns an error for options that Compare would reject before it starts anything.
func (p *Program) Check() error {
	o := p.with([2]string{"PROGRAM", "PROGRAM"})
	return o.Check()
}

// with returns the options for two executables.
func (p *Program) with(paths [2]string) Options {
	o := p.Options
	for i, path := range paths {
		o.Commands[i].Args = slices.Concat(p.wrap[i], []string{path}, o.Commands[i].Args)
	}
	return o
}

// Compare compares two executables under load. Unlike Run, it returns an error if a service ended
// early, or if the two did not do the same work.
func (p *Program) Compare(ctx context.Context, paths [2]string) (*Result, error) {
	r, err := Run(ctx, p.with(paths))
	if err == nil {
		err = r.Failure
	}
	if err != nil {
		if ctx.Err() == nil && diag.Hint(err) == "" {
			err = &diag.Error{
				Err:  err,
				Hint: "--service takes the arguments of the program, with KEY=value of its environment before them",
			}
		}
		return nil, err
	}
	if err := r.checkComparable(); err != nil {
		return nil, err
	}
	return r, nil
}

// CompareBuilds builds the main package, "." or an import path, of two builds and compares them.
// The executables are in a temporary directory, which is removed.
func (p *Program) CompareBuilds(ctx context.Context, main string, a, b builds.Side) (r *Result, err error) {
	dir, err := os.MkdirTemp("", "whet-programs-*")
	if err != nil {
		return nil, fmt.Errorf("make a directory for the programs: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	var paths [2]string
	both := *p
	for i, side := range []builds.Side{a, b} {
		both.AB.Sides[i] = cmp.Or(side.Name, both.AB.Sides[i])
		both.Commands[i].Env = slices.Concat(both.Commands[i].Env, side.Env)
		both.wrap[i] = side.Wrap
		paths[i] = filepath.Join(dir, [2]string{"a", "b"}[i])
		cmd := exec.CommandContext(ctx, "go", slices.Concat([]string{"build"}, side.Flags, []string{"-o", paths[i], main})...)
		cmd.Dir, cmd.Env = side.Dir, append(os.Environ(), side.Env...)
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := procgroup.RunGo(cmd); err != nil {
			return nil, &diag.Error{
				Op: "build", Subject: main, Err: fmt.Errorf("%w: %s", err, bytes.TrimSpace(out.Bytes())),
				Hint: "without a recording, set --dir to the directory of the main package",
			}
		}
	}
	return both.Compare(ctx, paths)
}

// checkComparable returns an error for a comparison of programs that did not do the same work, or
// failed most requests: no conclusion is possible.
func (r *Result) checkComparable() error {
	for i := range r.Sides {
		seen := &r.Sides[i].Seen
		if failed := seen.Failed(); failed > 0 && (r.FailuresDiffer || 2*failed > seen.Requests) {
			return &diag.Error{
				Op: "compare under load",
				Err: fmt.Errorf("%v failed %d of %d requests (%s)",
					ab.Side(i), failed, seen.Requests, seen.Failures()),
				Hint: "failed requests cost less than answered ones: send requests that the service can answer, or lower -r",
			}
		}
	}
	return nil
}
