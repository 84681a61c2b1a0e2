package collect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/whet-go/whet/internal/capture/instrument"
	"github.com/whet-go/whet/internal/collect/copies"
	"github.com/whet-go/whet/internal/collect/process"
	"github.com/whet-go/whet/internal/procgroup"
	"github.com/whet-go/whet/load"
	"github.com/whet-go/whet/recording"
)

// Capture configures which calls are copied after the measurement, by a program that is built again for it.
type Capture = copies.Options

// capturePart is the part in the list of what is missing.
const capturePart = "arguments"

// A capturing is what is needed to build a command twice.
type capturing struct {
	run  *copies.GoRun
	temp string
}

// beginCapture builds the command as it is, and has it run instead of the go command.
func (s *session) beginCapture(ctx context.Context) (*capturing, error) {
	run, err := copies.Parse(s.opt.Command)
	if err != nil {
		return nil, err
	}
	c := &capturing{run: run}
	if c.temp, err = os.MkdirTemp("", "whet-capture-"); err != nil {
		return nil, fmt.Errorf("capture: %w", err)
	}
	file := filepath.Join(c.temp, run.Name(s.opt.Dir))
	s.report.run("build", func() { err = run.Build(ctx, s.opt.Dir, file) })
	if err != nil {
		return nil, errors.Join(err, c.close())
	}
	s.opt.Command = run.Command(file)
	return c, nil
}

func (c *capturing) close() error { return os.RemoveAll(c.temp) }

// captureCommand builds the command with copies, runs it with the load, and stores what it copied. What goes wrong is
// listed as missing.
func (s *session) captureCommand(ctx context.Context, c *capturing) {
	run, cancel := s.untilEither(ctx)
	defer cancel()
	err := s.copyCommand(run, c)
	if ctx.Err() != nil && err != nil {
		err = errors.New("interrupted")
	}
	if err != nil {
		s.miss(capturePart, err)
	}
}

func (s *session) copyCommand(ctx context.Context, c *capturing) error {
	rank, err := copies.Rank(s.opt.Capture.Functions, s.profile("cpu"), s.own())
	if err != nil {
		return err
	}
	dir, env, err := s.opt.Capture.Environment(c.temp)
	if err != nil {
		return err
	}
	file := filepath.Join(dir, c.run.Name(s.opt.Dir)) // where the name is free
	var left []instrument.Left
	s.report.run("build with copies of arguments", func() {
		left, err = c.run.BuildCopies(ctx, s.opt.Dir, file, c.temp, rank)
	})
	if err != nil {
		return err
	}
	child, err := process.Start(process.Command{
		Args: c.run.Command(file), Dir: s.opt.Dir, Env: slices.Concat(s.opt.Env, env), Output: s.opt.TargetLog,
	})
	if err != nil {
		return err
	}
	defer child.Stop(s.abort, procgroup.Interrupt, procgroup.Terminate)
	client, err := s.findHandlers(ctx, child)
	if err != nil {
		return err
	}
	defer client.Close()
	window, _, _ := s.opt.window()
	s.report.run("copying arguments", func() { err = s.loadCopies(ctx, min(window, copies.Time), child) })
	if err != nil {
		return err
	}
	child.Stop(s.abort, procgroup.Interrupt, procgroup.Terminate)
	return s.addArguments(left, dir)
}

// loadCopies runs the load while arguments are copied, and waits until the last ones are written.
func (s *session) loadCopies(ctx context.Context, window time.Duration, child *process.Child) error {
	ending, cancel := context.WithTimeout(ctx, window+copies.WriteTime)
	defer cancel()
	if s.opt.Load != nil {
		o := *s.opt.Load
		o.Duration, o.Requests, o.Warmup, o.Progress = window, 0, 0, nil
		if _, err := load.Run(ending, o); err != nil && ctx.Err() == nil {
			return fmt.Errorf("load the program that copies: %w", err)
		}
	}
	select {
	case <-ending.Done():
	case <-child.Done():
		return fmt.Errorf("the program that copies ended: %w%s", child.Exited(), child.LastOutput())
	}
	return ctx.Err()
}

// addArguments stores what processes copied into directories.
func (s *session) addArguments(left []instrument.Left, dirs ...string) error {
	all, calls, err := s.opt.Capture.Read(left, dirs...)
	if err != nil {
		return err
	}
	s.report.note("arguments: copied %d calls of %d functions", calls, len(all.Functions))
	return s.w.AddJSON(recording.ArgumentsPart, all)
}

// captureBench runs the benchmarks of packages again, with copies, and stores these.
func (s *session) captureBench(ctx context.Context, pkgs []benchPackage, temp string) {
	rank, failed := copies.Rank(s.opt.Capture.Functions, s.profile("cpu"), s.own())
	var left []instrument.Left
	var dirs []string
	for i := 0; failed == nil && i < len(pkgs); i++ {
		p := pkgs[i]
		s.report.run("copying arguments of "+p.path, func() {
			dir, more, err := s.opt.Capture.Bench(ctx, p.binary, s.bench(), rank, filepath.Join(temp, "capture"+strconv.Itoa(i)))
			left = append(left, more...)
			if err != nil {
				failed = cmp.Or(failed, err)
				return
			}
			dirs = append(dirs, dir)
		})
		if ctx.Err() != nil {
			failed = errors.New("interrupted")
		} else if failed != nil && len(pkgs) > 1 {
			s.report.note("%s: %v", p.path, failed)
			failed = nil // other packages may have calls
		}
	}
	if failed == nil {
		failed = s.addArguments(left, dirs...)
	}
	if failed != nil {
		s.miss(capturePart, failed)
	}
}
