package prove

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/whet-go/whet/bench/gotest"
	"github.com/whet-go/whet/internal/prove/differ/reproducer"
	"github.com/whet-go/whet/internal/prove/scratch"
)

// A Reproducer shows a difference: a test that passes with version A and fails with version B.
type Reproducer struct {
	Test string `json:"test"` // its name, with slashes for a subtest
	// Command runs it in the module's directory. If File is set, that must contain Source.
	Command string `json:"command"`
	// File is relative to the module, and Source is its text, if whet wrote the test.
	File   string `json:"file,omitempty"`
	Source string `json:"source,omitempty"`
	// NoTest is why whet wrote no test for an input; "" if it did, or a test of the module differs.
	NoTest string `json:"not,omitempty"`
	// Input is the fuzzer's input, if it is known.
	Input []byte `json:"input,omitempty"`
}

// reproducerFile is the name of the file of a test that whet writes.
const reproducerFile = "whet_reproduce_test.go"

// testTimeout limits a run of a test that whet wrote.
const testTimeout = 20 * time.Second

// reproduce sets Reproducer, if the outcome is a difference.
func (r *Result) reproduce(ctx context.Context, p *Prover, code Changes) {
	var test *scratch.TestError
	var differs *DifferenceError
	v := r.Verdict
	switch {
	case errors.As(v.Err, &differs) && v.Stage == StageCompare:
		r.Reproducer = p.Reproduce(ctx, code, r.A, r.B, differs)
	case errors.As(v.Err, &test) && test.Built && (v.Stage == StageTest || v.Stage == StageRace):
		flags := slices.Clone(p.o.Flags)
		if v.Stage == StageRace {
			flags = append(flags, "-race")
		}
		name := test.Test.Name
		r.Reproducer = &Reproducer{Test: name, Command: testCommand(flags, name, p.relative(test.Test.Package))}
	}
}

// relative returns the directory of a package of the module as a pattern of the go command.
func (f *Prover) relative(importPath string) string {
	if rest, ok := strings.CutPrefix(importPath, f.module); ok && (rest == "" || rest[0] == '/') {
		return "." + rest
	}
	return importPath
}

// testCommand returns a command that runs a test. An empty name means all tests.
func testCommand(flags []string, name, pkg string) string {
	args := slices.Concat([]string{"go", "test"}, flags)
	if name != "" {
		parts := strings.Split(name, "/")
		for i, part := range parts {
			parts[i] = "^" + regexp.QuoteMeta(part) + "$"
		}
		args = append(args, "-run="+strings.Join(parts, "/"))
	}
	args = append(args, pkg)
	for i, arg := range args {
		if strings.ContainsAny(arg, " $'\"\\|&;()<>*?[]#~`!{}") {
			args[i] = "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
		}
	}
	return strings.Join(args, " ")
}

// Reproduce writes a test of a difference that the fuzzer has found, and tries it with both versions.
func (f *Prover) Reproduce(ctx context.Context, code Changes, a, b string, differs *DifferenceError) *Reproducer {
	r := &Reproducer{}
	if differs.Record == nil {
		r.NoTest = "the input is unknown: the versions do not differ in every run, or they run in two processes"
		return r
	}
	r.Input = differs.Record.Data
	pkg := differs.Package
	pkg.A, pkg.B = a, b
	files, err := differs.Record.Tests(pkg)
	if err != nil {
		r.NoTest = err.Error()
		return r
	}
	f.o.Progress("write a test of the difference")
	name := reproducer.TestName(pkg.Function)
	for _, source := range files {
		if err = f.shows(ctx, code, differs.Dir, name, source); err == nil {
			r.Test, r.File, r.Source = name, path.Join(differs.Dir, reproducerFile), string(source)
			r.Command = testCommand(f.o.Flags, name, "./"+differs.Dir)
			return r
		}
	}
	r.NoTest = err.Error()
	return r
}

// shows returns nil if a test of the package in a directory passes with version A, and fails with B.
func (f *Prover) shows(ctx context.Context, code Changes, dir, name string, source []byte) (err error) {
	temp, err := os.MkdirTemp(f.scratch.Temp, "reproduce")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	test := map[string][]byte{path.Join(dir, reproducerFile): source}
	withB := code.After()
	withB[path.Join(dir, reproducerFile)] = source
	for i, files := range []map[string][]byte{test, withB} {
		side := string("AB"[i])
		src := gotest.Source{Name: side, Dir: f.scratch.Dir, Flags: f.o.Flags, Env: f.o.Env}
		if src.Overlay, err = f.scratch.OverlayIn(filepath.Join(temp, side), files); err != nil {
			return err
		}
		bin, err := gotest.Compile(ctx, src,
			gotest.Package{ImportPath: path.Join(f.module, dir), Dir: f.scratch.Path(dir)}, filepath.Join(temp, side+".test"))
		if err != nil {
			return fmt.Errorf("a test of it does not build with version %s: %w", side, err)
		}
		switch err := f.runTest(ctx, bin, name); {
		case ctx.Err() != nil:
			return ctx.Err()
		case i == 0 && err != nil:
			return fmt.Errorf("a test with its input does not pass with version A: %w", err)
		case i == 1 && err == nil:
			return errors.New("a test with its input passes with both versions")
		}
	}
	return nil
}

// runTest runs a test twice: what depends on time or chance shows no difference.
func (f *Prover) runTest(ctx context.Context, bin *gotest.Binary, name string) error {
	out, err := f.runBinary(ctx, bin, nil, "-test.run=^"+name+"$", "-test.count=2", "-test.paniconexit0",
		"-test.timeout="+testTimeout.String())
	if err != nil {
		return errors.New(scratch.LastLines(out))
	}
	return nil
}
