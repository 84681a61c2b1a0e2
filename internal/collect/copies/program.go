package copies

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/whet-go/whet/internal/capture/instrument"
)

// A Program is built from a command of the form go run PACKAGE, once as it is and once with copies of calls.
type Program struct {
	Command []string // runs the program as it is
	run     *GoRun
	dir     string // where the command runs
	temp    string
}

// Build builds the program of a command that runs in dir. The caller closes it.
func Build(ctx context.Context, command []string, dir string) (*Program, error) {
	run, err := Parse(command)
	if err != nil {
		return nil, err
	}
	p := &Program{run: run, dir: dir}
	if p.temp, err = os.MkdirTemp("", "whet-capture-"); err != nil {
		return nil, fmt.Errorf("capture: %w", err)
	}
	file := filepath.Join(p.temp, run.Name(dir))
	if err := run.Build(ctx, dir, file); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	p.Command = run.Command(file)
	return p, nil
}

// Close removes the program and all that it copied.
func (p *Program) Close() error { return os.RemoveAll(p.temp) }

// Copying is how a program with copies is run.
type Copying struct {
	Command, Env []string
	Documents    string // the directory for what its processes copy
	Left         []instrument.Left
}

// BuildCopies builds the program so that it copies calls.
func (p *Program) BuildCopies(ctx context.Context, o *Options, rank func(symbol string) int) (*Copying, error) {
	dir, env, err := o.Environment(p.temp)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(dir, p.run.Name(p.dir)) // where the name is free
	left, err := p.run.BuildCopies(ctx, p.dir, file, p.temp, rank)
	return &Copying{Command: p.run.Command(file), Env: env, Documents: dir, Left: left}, err
}
