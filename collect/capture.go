package collect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/whet-go/whet/bench/gotest"
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

// beginCapture builds the command as it is, and has it run instead of the go command.
func (s *session) beginCapture(ctx context.Context) (p *copies.Program, err error) {
	s.report.run("build", func() { p, err = copies.Build(ctx, s.opt.Command, s.opt.Dir) })
	if err == nil {
		s.opt.Command = p.Command
	}
	return p, err
}

// captureCommand builds the command with copies, runs it with the load, and stores what it copied. What goes wrong is
// listed as missing.
func (s *session) captureCommand(ctx context.Context, p *copies.Program) {
	run, cancel := s.untilEither(ctx)
	defer cancel()
	err := s.copyCommand(run, p)
	if ctx.Err() != nil && err != nil {
		err = errors.New("interrupted")
	}
	if err != nil {
		s.miss(capturePart, err)
	}
}

func (s *session) copyCommand(ctx context.Context, p *copies.Program) error {
	rank, err := copies.Rank(s.opt.Capture.Functions, s.profile("cpu"), s.own())
	if err != nil {
		return err
	}
	var again *copies.Copying
	s.report.run("build with copies of arguments", func() { again, err = p.BuildCopies(ctx, s.opt.Capture, rank) })
	if err != nil {
		return err
	}
	child, err := process.Start(process.Command{
		Args: again.Command, Dir: s.opt.Dir, Env: slices.Concat(s.opt.Env, again.Env), Output: s.opt.TargetLog,
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
	return s.addArguments(again.Left, again.Documents)
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
	var binaries []*gotest.Binary
	for _, p := range pkgs {
		binaries = append(binaries, p.binary)
	}
	s.captureEach(ctx, binaries, func(b *gotest.Binary, i int, rank func(string) int) (string, []instrument.Left, error) {
		return s.opt.Capture.Bench(ctx, b, s.bench(), rank, filepath.Join(temp, "capture"+strconv.Itoa(i)))
	})
}

// captureEach has each of some test binaries run with copies, and stores these.
func (s *session) captureEach(
	ctx context.Context, binaries []*gotest.Binary,
	again func(b *gotest.Binary, i int, rank func(string) int) (dir string, left []instrument.Left, err error),
) {
	rank, failed := copies.Rank(s.opt.Capture.Functions, s.profile("cpu"), s.own())
	var left []instrument.Left
	var dirs []string
	for i := 0; failed == nil && i < len(binaries); i++ {
		name := binaries[i].Package.ImportPath
		s.report.run("copying arguments of "+name, func() {
			dir, more, err := again(binaries[i], i, rank)
			left = append(left, more...)
			if err != nil {
				failed = cmp.Or(failed, err)
				return
			}
			dirs = append(dirs, dir)
		})
		if ctx.Err() != nil {
			failed = errors.New("interrupted")
		} else if failed != nil && len(binaries) > 1 {
			s.report.note("%s: %v", name, failed)
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
