package gotest

import (
	"errors"
	"fmt"
	"os/exec"
	"strings"

	"github.com/whet-go/whet/internal/diag"
)

// A BuildError reports a test binary that could not be built.
type BuildError struct {
	Package string // import path
	Side    string // name of the source; "" if it has none
	Output  string // output of the go command: the compiler's messages
	Err     error  // how the go command ended
}

// Error includes package, side and the first lines of the output.
func (e *BuildError) Error() string {
	side := ""
	if e.Side != "" {
		side = " (" + e.Side + ")"
	}
	return fmt.Sprintf("build the tests of %s%s: %s", e.Package, side, firstLines(e.Output, e.Err))
}

// Unwrap returns how the go command ended.
func (e *BuildError) Unwrap() error { return e.Err }

// Hint returns what to do next.
func (e *BuildError) Hint() string { return "`go vet " + e.Package + "` shows the same" }

// A Failure is a package or a benchmark without a measurement.
type Failure struct {
	Package   string // import path
	Benchmark string // its name as go test writes it, without the number of CPUs; "" means the whole package
	Err       error
	Output    string // the most informative lines of its output, at most a few KiB; may be empty
}

// Error names the benchmark and what happened.
func (f *Failure) Error() string {
	if f.Benchmark == "" {
		return fmt.Sprintf("%s: %v", f.Package, f.Err)
	}
	return fmt.Sprintf("%s of %s: %v", f.Benchmark, f.Package, f.Err)
}

// Unwrap returns the cause.
func (f *Failure) Unwrap() error { return f.Err }

// Hint returns what to do next.
func (f *Failure) Hint() string {
	var missing *missingError
	switch {
	case f.Benchmark == "":
		return "`go test -run '^$' -bench . " + f.Package + "` shows the same"
	case errors.As(f.Err, &missing):
		return "a benchmark must keep its name to be measured"
	default:
		return "`go test -run '^$' -bench '" + Pattern(f.Benchmark) + "' " + f.Package + "` runs it alone"
	}
}

// ErrTimeout is wrapped by a Failure whose process exceeded its timeout.
var ErrTimeout = errors.New("timed out")

// A missingError reports a benchmark that ended successfully without a result under its name.
type missingError struct {
	Name string
	Got  []string // the names that the same benchmark function has now; may be empty
}

// Error lists the names that appeared.
func (e *missingError) Error() string {
	if len(e.Got) == 0 {
		return "no result: it was skipped, removed or renamed"
	}
	got := e.Got
	more := ""
	if len(got) > 5 {
		more = fmt.Sprintf(" and %d more", len(got)-5)
		got = got[:5]
	}
	return "it was renamed; found " + strings.Join(got, ", ") + more
}

// goError returns the error for a go command that failed.
func goError(op, subject, stderr string, err error) error {
	e := &diag.Error{Op: op, Subject: subject, Err: err}
	if errors.Is(err, exec.ErrNotFound) {
		e.Hint = "install Go: https://go.dev/dl"
	} else if text := strings.TrimSpace(stderr); text != "" {
		e.Err = errors.New(firstLines(text, err))
	}
	return e
}

// firstLines returns the start of a command's output, or err when there is none.
func firstLines(out string, err error) string {
	out = strings.TrimSpace(out)
	if out == "" {
		return err.Error()
	}
	lines := strings.Split(out, "\n")
	const most = 5
	if len(lines) > most {
		lines = append(lines[:most:most], "…")
	}
	return strings.Join(lines, "\n")
}
