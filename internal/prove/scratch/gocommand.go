package scratch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/whet-go/whet/internal/procgroup"
)

// maxOutput is the maximum output of the go command that is kept.
const maxOutput = 1 << 20

// Go runs the go command in the module's directory, with more flags after those of the options, and
// returns the end of its output. All processes that it starts end with it.
func (m *Module) Go(ctx context.Context, more []string, command string, args ...string) (text string, err error) {
	text, err = m.output(m.command(ctx, more, command, args))
	return m.Relative(text), err
}

// Output runs a command that runs code of the module, and returns the end of its output, as Relative does.
func (m *Module) Output(cmd *exec.Cmd) (text string, err error) {
	if len(m.wrap) > 0 {
		cmd.Args = slices.Concat(m.wrap, []string{cmd.Path}, cmd.Args[1:])
		cmd.Path = m.wrap[0]
	}
	text, err = m.output(cmd)
	return m.Relative(text), err
}

// Wrap returns the beginning of the command lines of processes that run code of the module.
func (m *Module) Wrap() []string { return m.wrap }

// execFlag returns the flag with which go test runs the programs that it builds.
func (m *Module) execFlag() []string {
	if len(m.wrap) == 0 {
		return nil
	}
	return []string{"-exec='" + strings.Join(m.wrap, "' '") + "'"}
}

// output runs a command, and returns the end of its output. A command that fills the disk or starts processes
// without end is killed, as the output says.
func (m *Module) output(cmd *exec.Cmd) (string, error) {
	out := &tail{}
	cmd.Stdout, cmd.Stderr = out, out
	killed, err := m.newGuard().run(cmd)
	if killed != "" {
		_, _ = fmt.Fprintf(out, "\nkilled: %s\n", killed)
		err = fmt.Errorf("killed: %s", killed)
	}
	return out.String(), err
}

func (m *Module) command(ctx context.Context, more []string, command string, args []string) *exec.Cmd {
	if command == "test" {
		more = append(m.execFlag(), more...)
	}
	flags := m.options.Flags
	if command == "env" {
		flags = nil // it has none of those of builds
	}
	cmd := exec.CommandContext(ctx, "go", slices.Concat([]string{command}, flags, more, args)...)
	cmd.Dir, cmd.Env = m.Dir, os.Environ()
	if os.Getenv("GOTMPDIR") == "" {
		cmd.Env = append(cmd.Env, "GOTMPDIR="+m.Temp) // one that is killed leaves its files, which Close removes
	}
	if command == "test" {
		cmd.Env = append(cmd.Env, m.TrialEnv()...)
	}
	cmd.Env = append(cmd.Env, m.options.Env...)
	cmd.WaitDelay = 5 * time.Second
	procgroup.OwnAndKill(cmd)
	return cmd
}

// An OutputError is the end of what a failed go command printed.
type OutputError struct{ Output string }

// Error returns the most informative lines.
func (e *OutputError) Error() string { return LastLines(e.Output) }

// Build builds packages, each of which must be buildable, and discards the results. Its error is an
// *OutputError.
func (m *Module) Build(ctx context.Context, more, packages []string) error {
	if len(packages) == 0 {
		return nil // go build would build the current directory
	}
	// A single main package would be written to a file.
	args := slices.Concat([]string{"-o", os.DevNull}, packages)
	if out, err := m.Go(ctx, more, "build", args...); err != nil {
		return &OutputError{out}
	}
	return nil
}

// Listing builds packages, each of which must be buildable, and writes the compiler's listings of them. It is an error
// if the options have flags for the compiler.
func (m *Module) Listing(ctx context.Context, w io.Writer, more, packages []string) error {
	if slices.ContainsFunc(m.options.Flags, func(flag string) bool { return strings.HasPrefix(flag, "-gcflags") }) {
		return errors.New("the user's flags for the compiler would be lost")
	}
	cmd := m.command(ctx, more, "build", slices.Concat([]string{"-gcflags=-S", "-o", os.DevNull}, packages))
	cmd.Stderr = w
	return cmd.Run()
}

// tail keeps the end of what is written to it.
type tail struct{ bytes.Buffer }

func (t *tail) Write(p []byte) (int, error) {
	n, err := t.Buffer.Write(p)
	if over := t.Len() - maxOutput; over > maxOutput {
		t.Next(over)
	}
	return n, err
}

// LastLines returns the most informative lines of the go command's output: those from a panic on, or
// else the last ones before its summary.
func LastLines(out string) string {
	var lines []string
	for line := range strings.Lines(out) {
		line = strings.TrimRight(line, "\n")
		if line != "" && line != "FAIL" && !strings.HasPrefix(line, "ok ") && !strings.HasPrefix(line, "?  ") &&
			!strings.HasPrefix(line, "coverage: ") {
			lines = append(lines, line)
		}
	}
	const most = 12
	first := max(0, len(lines)-most)
	if at := slices.IndexFunc(lines, isPanic); at >= 0 {
		first = min(at, first)
	}
	return strings.Join(lines[first:min(first+most, len(lines))], "\n")
}

// isPanic reports whether a line is the first one that the runtime prints when a program ends early.
func isPanic(line string) bool {
	return strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ")
}
