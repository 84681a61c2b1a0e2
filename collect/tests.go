package collect

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"time"

	"github.com/whet-go/whet/bench/gotest"
	"github.com/whet-go/whet/internal/capture/instrument"
	"github.com/whet-go/whet/internal/collect/copies"
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
	s.report.run("build", func() { binaries, err = test.Build(run, s.opt.Dir, temp, s.report.note, s.fail) })
	if err != nil {
		return nil, errors.Join(append(s.failures, err)...)
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

// runTests runs the tests of a package, and stores their profiles under prefix.
func (s *session) runTests(
	ctx context.Context, test *copies.GoTest, b *gotest.Binary, prefix, dir string,
) map[string]*profile.Profile {
	got := make(map[string]*profile.Profile)
	part := recording.Part{Start: time.Now()}
	out, early, err := test.Profile(ctx, b, dir, s.opt.Duration)
	if s.opt.TargetLog != nil {
		_, _ = s.opt.TargetLog.Write(out) // it is not part of the recording
	}
	if early {
		part.Note = "ended early"
		s.warn(err)
	} else if err != nil {
		s.fail(err)
	}
	s.takeProfiles(got, prefix, dir, part, "cpu", "allocs")
	return got
}

// captureTests runs the tests again, with copies, and stores these.
func (s *session) captureTests(ctx context.Context, test *copies.GoTest, binaries []*gotest.Binary, temp string) {
	s.captureEach(ctx, binaries, func(b *gotest.Binary, i int, rank func(string) int) (string, []instrument.Left, error) {
		at := filepath.Join(temp, "capture"+strconv.Itoa(i))
		return s.opt.Capture.Test(ctx, b, test.EndArgs(), s.opt.Duration, rank, at)
	})
}
