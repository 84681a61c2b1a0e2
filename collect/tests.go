package collect

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"strconv"
	"time"

	"github.com/whet-go/whet/bench/gotest"
	"github.com/whet-go/whet/internal/capture/instrument"
	"github.com/whet-go/whet/internal/collect/copies"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/procgroup"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/recording"
)

// recordTests builds and runs the tests of a command of the form go test, once with profiles and once with copies of
// calls. Options.Duration, unless it is 0, limits each run of a package.
func (s *session) recordTests(ctx context.Context) (*Summary, error) {
	run, cancel := s.untilEither(ctx)
	defer cancel()
	test, err := copies.ParseTest(s.opt.Command)
	if err != nil {
		return nil, err
	}
	temp, err := os.MkdirTemp("", "whet-test-")
	if err != nil {
		return nil, fmt.Errorf("record tests: %w", err)
	}
	defer func() { _ = os.RemoveAll(temp) }()

	var binaries []*gotest.Binary
	s.report.run("build", func() { binaries, err = s.buildTests(run, test, temp) })
	if err != nil {
		return nil, err
	}
	if err := s.create(recording.Target{Kind: recording.Command, Command: s.opt.Command}); err != nil {
		return nil, err
	}
	s.here()
	s.meta.GOMAXPROCS = runtime.GOMAXPROCS(0)
	s.readExecutable(binaries[0].Path)
	if len(binaries) == 1 {
		s.openExecutable(binaries[0].Path)
	}
	parts := make(map[string][]*profile.Profile)
	for i, b := range binaries {
		prefix := ""
		if len(binaries) > 1 {
			prefix = b.Package.ImportPath + "/"
		}
		s.report.run("tests of "+b.Package.ImportPath, func() {
			for name, p := range s.runTests(run, test, b, prefix, filepath.Join(temp, "out"+strconv.Itoa(i))) {
				parts[name] = append(parts[name], p)
			}
		})
	}
	if len(binaries) > 1 {
		s.mergePackages(parts)
	}
	s.meta.Duration = time.Since(s.meta.Created)
	s.afterwards = func() { s.captureTests(run, test, binaries, temp) }
	return s.finish(ctx.Err() != nil)
}

// buildTests builds the test binaries. Those that do not build are failures; the error is for when none is left.
func (s *session) buildTests(ctx context.Context, test *copies.GoTest, temp string) (all []*gotest.Binary, err error) {
	pkgs, err := test.Packages(ctx, s.opt.Dir)
	if err != nil {
		return nil, err
	}
	for i, p := range pkgs {
		s.report.note("building the tests of %s", p.ImportPath)
		file := filepath.Join(temp, strconv.Itoa(i), path.Base(p.ImportPath)+".test") // views show its name
		if runtime.GOOS == "windows" {
			file += ".exe"
		}
		if err := os.Mkdir(filepath.Dir(file), 0o700); err != nil {
			return nil, err
		}
		b, err := gotest.Compile(ctx, test.Source(s.opt.Dir), p, file)
		if err != nil {
			s.fail(err)
			continue
		}
		all = append(all, b)
	}
	if len(all) == 0 {
		return nil, errors.Join(s.failures...)
	}
	return all, nil
}

// runTests runs the tests of a package, and stores their profiles under prefix.
func (s *session) runTests(
	ctx context.Context, test *copies.GoTest, b *gotest.Binary, prefix, dir string,
) map[string]*profile.Profile {
	got := make(map[string]*profile.Profile)
	if err := os.Mkdir(dir, 0o700); err != nil {
		s.fail(err)
		return got
	}
	limit, cancel := within(ctx, s.opt.Duration)
	defer cancel()
	cmd := exec.CommandContext(limit, b.Path, test.Args("-test.outputdir="+dir, "-test.cpuprofile=cpu",
		"-test.memprofile=allocs")...)
	cmd.Dir = b.Package.Dir
	procgroup.OwnAndKill(cmd)
	var out bytes.Buffer
	w := &limitedWriter{&out, maxBenchText}
	cmd.Stdout, cmd.Stderr = w, w
	part := recording.Part{Start: time.Now()}
	err := cmd.Run()
	if s.opt.TargetLog != nil {
		_, _ = s.opt.TargetLog.Write(out.Bytes()) // it is not part of the recording
	}
	switch {
	case limit.Err() != nil:
		part.Note = "ended early"
		s.warn(&diag.Error{
			Op: "record tests of", Subject: b.Package.ImportPath,
			Err:  errors.New("ended before they wrote their profiles, which are lost"),
			Hint: "give more time with -d, or omit it",
		})
	case err != nil && !errors.Is(err, exec.ErrWaitDelay):
		s.fail(&diag.Error{
			Op: "run the tests of", Subject: b.Package.ImportPath, Err: errors.New(benchFailure(out.Bytes(), err)),
			Hint: "go test " + b.Package.ImportPath + " runs them alone",
		})
	}
	s.takeProfiles(got, prefix, dir, part, "cpu", "allocs")
	return got
}

// captureTests runs the tests again, with copies, and stores these.
func (s *session) captureTests(ctx context.Context, test *copies.GoTest, binaries []*gotest.Binary, temp string) {
	rank, failed := copies.Rank(s.opt.Capture.Functions, s.profile("cpu"), s.own())
	var left []instrument.Left
	var dirs []string
	for i, b := range binaries {
		if failed != nil {
			break
		}
		s.report.run("copying arguments of the tests of "+b.Package.ImportPath, func() {
			at := filepath.Join(temp, "capture"+strconv.Itoa(i))
			dir, more, err := s.opt.Capture.Test(ctx, b, test.EndArgs(), s.opt.Duration, rank, at)
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
			s.report.note("%s: %v", b.Package.ImportPath, failed)
			failed = nil // the tests of other packages may have calls
		}
	}
	if failed == nil {
		failed = s.addArguments(left, dirs...)
	}
	if failed != nil {
		s.miss(capturePart, failed)
	}
}
