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
	Size int64 `json:"size"` // of the executable in bytes; 0 for a library

	// The time to compile and link everything, without the build cache: wall time, and CPU time of
	// the compilers, which does not depend on the load of the machine. 0 if not measured.
	Wall time.Duration `json:"wall_ns,omitempty"`
	CPU  time.Duration `json:"cpu_ns,omitempty"`
}

// maxMessages is the maximum size of a go command's messages that is kept.
const maxMessages = 64 << 10

// output is the messages and resource usage of a go command.
type output struct {
	stdout string
	wall   time.Duration
	cpu    time.Duration
}

// run runs the go command. Its error contains the first lines of the messages.
func (m module) run(ctx context.Context, verb string, args []string) (*output, error) {
	cmd := exec.CommandContext(ctx, "go", append([]string{verb}, args...)...)
	cmd.Dir = m.dir
	cmd.Env = append(cmd.Environ(), m.env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	// On an interrupt, the go command ends its compilers and removes its temporary files.
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

// firstLines returns the start of a compiler's messages.
func firstLines(text string) string {
	const most = 5
	lines := strings.SplitN(strings.TrimSpace(text), "\n", most+1)
	if len(lines) > most {
		lines[most] = "…"
	}
	return strings.Join(lines, "\n")
}

// listFlags returns the flags that go list accepts, too, and that determine which files count.
func (m module) listFlags() []string {
	return slices.DeleteFunc(slices.Clone(m.flags), func(f string) bool { return f == "-a" })
}

// build builds packages with a profile, or "off". With out, the single package is a program, which
// is written there. With all, the build cache is not used.
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
