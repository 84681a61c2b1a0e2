package pgo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/whet-go/whet/internal/diag"
)

// A Build is a program built without or with a profile.
type Build struct {
	Size int64 `json:"size"` // of the executable in bytes; 0 for a library, which has none

	// What compiling and linking everything took, with nothing from the build cache: wall
	// time, and CPU time of the compilers, which is the same on a busy machine. 0
	// when it was not measured.
	Wall time.Duration `json:"wall_ns,omitempty"`
	CPU  time.Duration `json:"cpu_ns,omitempty"`
}

// maxMessages bounds what is kept of a go command's messages.
const maxMessages = 64 << 10

// output is what a go command has printed and taken.
type output struct {
	stdout string
	wall   time.Duration
	cpu    time.Duration
}

// run runs the go command. Its error has the first lines of what it said.
func (m module) run(ctx context.Context, verb string, args []string) (*output, error) {
	cmd := exec.CommandContext(ctx, "go", append([]string{verb}, args...)...)
	cmd.Dir = m.dir
	cmd.Env = append(cmd.Environ(), m.env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	// Interrupted, the go command ends its compilers and removes its temporary files.
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	begin := time.Now()
	err := cmd.Run()
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, exec.ErrNotFound):
		return nil, &diag.Error{Op: "run the go command", Err: err, Hint: "install Go: https://go.dev/dl"}
	case err != nil && stderr.Len() > 0:
		return nil, errors.New(firstLines(string(stderr.Bytes()[:min(stderr.Len(), maxMessages)])))
	case err != nil:
		return nil, fmt.Errorf("go %s: %w", verb, err)
	}
	return &output{stdout.String(), time.Since(begin), cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}, nil
}

// firstLines is the start of a compiler's messages.
func firstLines(text string) string {
	const most = 5
	lines := strings.SplitN(strings.TrimSpace(text), "\n", most+1)
	if len(lines) > most {
		lines[most] = "…"
	}
	return strings.Join(lines, "\n")
}

// listFlags are the flags that go list knows too and that decide which files count.
func (m module) listFlags() []string {
	return slices.DeleteFunc(slices.Clone(m.flags), func(f string) bool { return f == "-a" })
}

// build builds packages with a profile ("off" without one). With out, the one package
// is a program, which goes there. With all, nothing is taken from the build cache.
func (m module) build(ctx context.Context, profile, out string, all bool, packages ...string) (*Build, error) {
	args := append(slices.Clone(m.flags), "-pgo="+profile)
	if all {
		args = append(args, "-a")
	}
	if out != "" {
		args = append(args, "-o", out)
	}
	done, err := m.run(ctx, "build", append(append(args, "--"), packages...))
	if err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		return nil, &diag.Error{
			Op: "build", Subject: strings.Join(packages, " "), Err: err,
			Hint: "`go build` shows the same; --flags adds build tags and other flags",
		}
	}
	b := &Build{}
	if out != "" {
		fi, err := os.Stat(out)
		if err != nil {
			return nil, fmt.Errorf("build %s: %w", strings.Join(packages, " "), err)
		}
		b.Size = fi.Size()
	}
	if all {
		b.Wall, b.CPU = done.wall, done.cpu
	}
	return b, nil
}
