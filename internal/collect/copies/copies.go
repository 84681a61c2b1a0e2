package copies

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"time"

	"github.com/whet-go/whet/bench/gotest"
	"github.com/whet-go/whet/internal/capture/arguments"
	"github.com/whet-go/whet/internal/capture/instrument"
	"github.com/whet-go/whet/internal/capture/support"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/procgroup"
)

// Options configure which calls are copied.
type Options struct {
	// Functions matches the symbols of the functions to copy, as profiles have them. nil means those with the hottest
	// own lines of the recording.
	Functions *regexp.Regexp
	// Redact is a regular expression of further names of what is secret; "-" disables all rules.
	Redact string
	// Share is the fraction of its CPU time that the program spends on copying, up to 1; 0 means DefaultShare. Tests copy
	// without pauses.
	Share float64
}

// DefaultShare is the default of Options.Share.
const DefaultShare = support.DefaultShare

// Time is how long a program that copies runs, at most, and WriteTime how long the last copies may take to be written.
const (
	Time      = 5 * time.Second
	WriteTime = 1100 * time.Millisecond
)

// Environment makes the directory for the documents of a program's processes, below temp. env tells them.
func (o *Options) Environment(temp string) (dir string, env []string, err error) {
	dir = filepath.Join(temp, "documents")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", nil, fmt.Errorf("capture: %w", err)
	}
	env = []string{support.DirEnv + "=" + dir, support.RedactEnv + "=" + o.Redact}
	if o.Share > 0 {
		env = append(env, support.ShareEnv+"="+strconv.FormatFloat(o.Share, 'g', -1, 64))
	}
	return dir, env, nil
}

// Read returns what processes copied into directories, and the number of calls. It is an error if there are none.
func (o *Options) Read(left []instrument.Left, dirs ...string) (all *arguments.Document, calls int, err error) {
	redactor, err := arguments.NewRedactor(o.Redact)
	if err != nil {
		return nil, 0, err
	}
	all = &arguments.Document{Schema: support.Schema, Left: left}
	for _, dir := range dirs {
		d, err := arguments.Read(dir, redactor)
		if err != nil {
			return nil, 0, err
		}
		for _, f := range d.Functions {
			all.Add(f) // tests of several packages may call it
		}
	}
	for _, f := range all.Functions {
		calls += len(f.Calls)
	}
	if calls == 0 {
		return nil, 0, &diag.Error{
			Op: "capture", Err: errors.New("none of the functions was called"),
			Hint: "send a load that calls them, or run longer: --load, -d",
		}
	}
	return all, calls, nil
}

// Bench builds a test binary again, so that it copies calls, and runs its benchmarks that match. The documents are then
// in dir.
func (o *Options) Bench(
	ctx context.Context, b *gotest.Binary, match string, rank func(symbol string) int, temp string,
) (dir string, left []instrument.Left, err error) {
	args := []string{"-test.run=^$", "-test.bench=" + match, "-test.benchtime=300ms"}
	return o.again(ctx, b, rank, temp, Time, args)
}

// Test builds a test binary again, so that it copies calls, and runs it with arguments, for at most limit unless that
// is 0. Calls are copied without pauses, since tests may end soon. The documents are then in dir.
func (o *Options) Test(
	ctx context.Context, b *gotest.Binary, args []string, limit time.Duration, rank func(symbol string) int, temp string,
) (dir string, left []instrument.Left, err error) {
	all := *o
	all.Share = support.AllShare
	return all.again(ctx, b, rank, temp, limit, args)
}

// again builds a test binary with copies, and runs it.
func (o *Options) again(
	ctx context.Context, b *gotest.Binary, rank func(symbol string) int, temp string, limit time.Duration, args []string,
) (dir string, left []instrument.Left, err error) {
	dir, env, err := o.Environment(temp)
	if err != nil {
		return "", nil, err
	}
	src := b.Source
	made, err := instrument.Make(ctx, instrument.Options{
		Dir: b.Package.Dir, Packages: []string{b.Package.ImportPath}, Flags: src.Flags, Env: src.Env, Rank: rank, Temp: temp,
		Tests: true,
	})
	if err != nil {
		return "", nil, err
	}
	overlay := maps.Clone(made.Files)
	maps.Copy(overlay, src.Overlay)
	src.Overlay = overlay
	binary, err := gotest.Compile(ctx, src, b.Package, filepath.Join(temp, "copies.test"))
	if err != nil {
		return "", nil, err
	}
	run := ctx
	if limit > 0 {
		var cancel context.CancelFunc
		run, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	cmd := exec.CommandContext(run, binary.Path, args...)
	cmd.Dir, cmd.Env = b.Package.Dir, slices.Concat(os.Environ(), src.Env, env)
	procgroup.OwnAndKill(cmd)
	_ = cmd.Run() // what fails was reported; a run that is cut short has copied enough
	return dir, made.Left, ctx.Err()
}
