package builds

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/bench/gotest"
)

// A Side describes what to build.
type Side struct {
	// Name names the side in results; "" means Ref, or else Dir, or else "working tree".
	Name string `json:"-"`
	Dir  string // a directory of the module; "" is the current one
	// Ref is a commit of Dir's repository to check out and build; "" builds Dir as it is, with
	// uncommitted changes.
	Ref   string
	Flags []string // of go build; see gotest.ParseFlags
	Env   []string // KEY=value, for building and running
	// Wrap is the beginning of the command lines that run what was built; nil for none.
	Wrap []string `json:"-"`
	// Watch, if set, watches the processes of what was built; see gotest.Source.
	Watch func(pid int, ended <-chan struct{}) (killed string) `json:"-"`
}

// name returns the name for results.
func (s *Side) name() string { return cmp.Or(s.Name, s.Ref, s.Dir, "working tree") }

// Options configure Run.
type Options struct {
	Patterns []string // of packages; none means ./...
	Bench    string   // regular expression as for go test -bench; "" means all
	// BenchmarksFrom is the side whose test files are used for both; nil means that each side uses
	// its own.
	BenchmarksFrom *ab.Side
	Timeout        time.Duration // of one process; 0 means gotest.DefaultTimeout
	// VaryLayout has both sides linked anew for each pair, with their functions in another random order, so
	// that a difference of where code lies is noise, and not taken for one of the code. The linker must be that
	// of Go 1.22 or later.
	VaryLayout bool
	// Only are the benchmarks to measure, as they are named in results; nil means all that Bench matches.
	Only []string
	AB   ab.Options // Run sets Sides, Identity, Journal and Resume

	// Journal is the file that receives the pairs as they come; "" means none. Continue resumes
	// from it; otherwise it is replaced. It is removed when all benchmarks have reached the
	// requested precision.
	Journal  string
	Continue bool

	// Stage is called with each step before the measurement, such as "build A: ./stats"; may be
	// nil.
	Stage func(string)
}

// A Result is a comparison of two builds.
type Result struct {
	ab.Result
	A BuiltSide `json:"a"`
	B BuiltSide `json:"b"`
	// OnlyA and OnlyB are the benchmarks that the other side lacks.
	OnlyA    []string  `json:"only_a,omitempty"`
	OnlyB    []string  `json:"only_b,omitempty"`
	Failures []Failure `json:"failures,omitempty"` // from building, and from finding benchmarks
}

// BuiltSide is a side that was built.
type BuiltSide struct {
	Commit   string   `json:"commit,omitempty"` // "" for a directory as it is
	Flags    []string `json:"flags,omitempty"`
	Env      []string `json:"env,omitempty"`
	Binaries []Binary `json:"binaries,omitempty"` // by package
}

// A Binary is a test binary.
type Binary struct {
	Package string        `json:"package"`
	Size    int64         `json:"size_bytes"`
	Build   time.Duration `json:"build_ns"`
	SHA256  string        `json:"sha256"`
}

// A Failure is a package or benchmark that cannot be measured on a side.
type Failure struct {
	Side      string `json:"side"` // A or B
	Package   string `json:"package"`
	Benchmark string `json:"benchmark,omitempty"` // "" means the whole package
	Error     string `json:"error"`
	Output    string `json:"output,omitempty"` // the most informative lines
}

// String returns the package or benchmark and what is wrong.
func (f Failure) String() string {
	where := f.Package
	if f.Benchmark != "" {
		where = f.Benchmark + " of " + f.Package
	}
	return fmt.Sprintf("%s: %s: %s", f.Side, where, f.Error)
}

// failureOf converts a gotest error of a side to a Failure.
func failureOf(side ab.Side, pkg string, err error) Failure {
	f := Failure{Side: side.String(), Package: pkg, Error: err.Error()}
	var be *gotest.BuildError
	var gf *gotest.Failure
	switch {
	case errors.As(err, &be):
		f.Error, f.Output = "does not build", be.Output
	case errors.As(err, &gf):
		f.Package, f.Benchmark, f.Error, f.Output = gf.Package, gf.Benchmark, gf.Err.Error(), gf.Output
	}
	return f
}

// ErrNoCommon is wrapped by Run's error if the sides have no benchmark in common.
var ErrNoCommon = errors.New("the two sides have no benchmark in common")

// Failed reports whether something could not be measured.
func (r *Result) Failed() bool {
	return len(r.Failures) > 0 ||
		slices.ContainsFunc(r.Subjects, func(c ab.SubjectResult) bool { return c.Error != "" })
}
