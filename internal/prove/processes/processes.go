package processes

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"golang.org/x/tools/go/packages"

	"github.com/whet-go/whet/bench/builds"
	"github.com/whet-go/whet/bench/gotest"
	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/internal/procgroup"
	"github.com/whet-go/whet/internal/prove/differ"
	"github.com/whet-go/whet/internal/prove/differ/dumps"
	"github.com/whet-go/whet/internal/prove/scratch"
)

// Options configure Compare.
type Options struct {
	Changed map[string][]byte // the files that differ in the second build, by their names in the module; may be nil
	Timeout time.Duration     // of a process
	Limit   time.Duration     // after which a test takes no more inputs; 0 means none
}

// A Result is a comparison without a difference, as far as it got.
type Result struct {
	Outcomes    []differ.Outcome // by function
	ErrorTexts  int64            // inputs for which only the texts of errors differ
	NotCompared []string         // why functions were not
	Warnings    find.Warnings
}

// Compare runs tests of differ.Dump, whose files are given by their names in the package's directory, in two builds of
// a copy of its module. A *differ.BehaviorError is a difference.
func Compare(
	ctx context.Context, m *scratch.Module, pkg *packages.Package, files map[string][]byte, tests []differ.Test,
	sides [2]builds.Side, o Options,
) (r Result, err error) {
	if len(tests) == 0 {
		return r, nil
	}
	temp, err := os.MkdirTemp(m.Temp, "answers")
	if err != nil {
		return r, err
	}
	defer func() { _ = os.RemoveAll(temp) }()
	c := &comparison{m: m, o: o, temp: temp, result: &r}
	bins, err := c.compile(ctx, pkg, files, sides)
	if err != nil {
		return r, err
	}
	for _, t := range tests {
		if err := c.test(ctx, bins, t); err != nil {
			return r, err
		}
	}
	return r, nil
}

type comparison struct {
	m      *scratch.Module
	o      Options
	temp   string
	result *Result
}

// compile compiles the tests in both builds.
func (c *comparison) compile(
	ctx context.Context, pkg *packages.Package, files map[string][]byte, sides [2]builds.Side,
) (bins [2]*gotest.Binary, err error) {
	dir := filepath.Dir(pkg.GoFiles[0])
	overlay := map[string]string{}
	for name, text := range files {
		file := filepath.Join(c.temp, strconv.Itoa(len(overlay))+".go")
		if err := os.WriteFile(file, text, 0o600); err != nil {
			return bins, err
		}
		overlay[filepath.Join(dir, name)] = file
	}
	replaced, err := c.m.OverlayIn(filepath.Join(c.temp, "changed"), c.o.Changed)
	if err != nil {
		return bins, err
	}
	maps.Copy(replaced, overlay)
	overlays := [2]map[string]string{overlay, replaced}
	for i, side := range sides {
		src := gotest.Source{
			Name: string("AB"[i]), Dir: c.m.Dir, Flags: side.Flags, Env: side.Env, Overlay: overlays[i],
		}
		bins[i], err = gotest.Compile(ctx, src, gotest.Package{ImportPath: pkg.PkgPath, Dir: dir},
			filepath.Join(c.temp, strconv.Itoa(i)+".test"))
		if err != nil {
			return bins, err
		}
	}
	return bins, nil
}

// test compares what a test prints in both builds.
func (c *comparison) test(ctx context.Context, bins [2]*gotest.Binary, t differ.Test) error {
	var names [2]string
	for i, bin := range bins {
		names[i] = filepath.Join(c.temp, t.Name+string("AB"[i]))
		err := c.dump(ctx, bin, t.Name, names[i])
		switch {
		case err == nil:
		case ctx.Err() != nil:
			return ctx.Err()
		case i == 0: // the original functions cannot be called that way
			c.result.NotCompared = append(c.result.NotCompared, fmt.Sprintf("%s cannot be compared: %v", t.Function, err))
			return nil
		default:
			return &differ.BehaviorError{Function: t.Function, Output: err.Error()}
		}
	}
	return c.read(t, names[0], names[1])
}

// dump runs a test that writes its results to a file.
func (c *comparison) dump(ctx context.Context, bin *gotest.Binary, test, file string) error {
	ctx, cancel := context.WithTimeout(ctx, c.o.Timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, bin.Path, "-test.run=^"+test+"$", "-test.count=1")
	cmd.Dir = bin.Package.Dir
	cmd.Env = slices.Concat(os.Environ(), c.m.TrialEnv(), bin.Source.Env, []string{
		differ.DumpEnv + "=" + file, differ.LimitEnv + "=" + c.o.Limit.String(),
	})
	procgroup.OwnAndKill(cmd)
	out, err := c.m.Output(cmd)
	if err != nil {
		err = fmt.Errorf("%w: %s", err, scratch.LastLines(out))
	}
	c.result.Warnings.Add(c.m.ClearTrial())
	return err
}

// read compares what two builds wrote for a function.
func (c *comparison) read(t differ.Test, nameA, nameB string) error {
	a, err := os.Open(nameA)
	if err != nil {
		return err
	}
	defer func() { _ = a.Close() }()
	b, err := os.Open(nameB)
	if err != nil {
		return err
	}
	defer func() { _ = b.Close() }()
	d, err := dumps.Compare(a, b)
	var differs *dumps.DifferenceError
	switch {
	case errors.As(err, &differs):
		return &differ.BehaviorError{Function: t.Function, Output: err.Error()}
	case err != nil:
		return err
	}
	c.result.Outcomes = append(c.result.Outcomes, differ.DumpOutcome(t, d))
	c.result.ErrorTexts += d.Texts
	return nil
}
