package gotest

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/procgroup/clip"
)

// topName matches what -test.list prints, as opposed to what the program prints.
var topName = regexp.MustCompile(`^Benchmark[\pL\pN_]*$`)

// Benchmarks returns the names of the benchmarks that match, sub-benchmarks included, as go test
// writes them but without the number of CPUs, in the order in which they run. match has the syntax
// of go test's -bench; "" means all. The binary lists the functions, and each runs once, in its own
// process and with its own timeout (Iterations, Time, Count and Profile of the options are
// ignored): failures become a Failure, next to the names found before. The error is for when ctx
// has ended or match is invalid.
func (b *Binary) Benchmarks(ctx context.Context, match string, o RunOptions) ([]string, []Failure, error) {
	if _, err := regexp.Compile(match); err != nil {
		return nil, nil, badMatch(match, err)
	}
	tops, failure := b.functions(ctx, o)
	if ctx.Err() != nil {
		return nil, nil, ctx.Err()
	}
	if failure != nil {
		return nil, []Failure{*failure}, nil
	}
	var names []string
	var failures []Failure
	for _, top := range tops {
		if !mayMatch(match, top) {
			continue
		}
		pattern, skip := Pattern(top), ""
		if perLevel(match) {
			others := slices.DeleteFunc(slices.Clone(tops), func(t string) bool { return t == top })
			if pattern = match; len(others) > 0 {
				skip = "^(" + strings.Join(others, "|") + ")$"
			}
		}
		got, failed := b.once(ctx, top, pattern, skip, o)
		if ctx.Err() != nil {
			return names, failures, ctx.Err()
		}
		names = append(names, got...)
		failures = append(failures, failed...)
	}
	return names, failures, nil
}

func badMatch(match string, err error) error {
	return &diag.Error{
		Op: "match benchmarks", Subject: fmt.Sprintf("%q", match), Err: err,
		Hint: "give a regular expression, as for go test -bench",
	}
}

// perLevel reports whether parts of a pattern are for single levels of sub-benchmarks, or it has
// blanks, which testing replaces. Only testing knows which part is for which level.
func perLevel(match string) bool { return strings.ContainsAny(match, "/ \t") }

// mayMatch reports whether a benchmark function can have benchmarks that match.
func mayMatch(match, top string) bool {
	if match == "" || perLevel(match) {
		return true
	}
	ok, err := regexp.MatchString(match, top)
	return ok && err == nil
}

// functions returns the benchmark functions of the binary.
func (b *Binary) functions(ctx context.Context, o RunOptions) ([]string, *Failure) {
	list := &clip.Buffer{Head: 4 << 20}
	end, err := b.start(ctx, []string{"-test.list=^Benchmark", "-test.paniconexit0"}, o, list)
	if err != nil {
		f := b.failure("", err, end)
		f.Err = fmt.Errorf("list the benchmarks: %w", f.Err)
		return nil, f
	}
	var names []string
	for line := range strings.Lines(list.String()) {
		if name := strings.TrimSpace(line); topName.MatchString(name) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil, b.failure("", errors.New("its test binary lists no benchmarks; does TestMain call Run?"), end)
	}
	return names, nil
}

// maxDoubted is how often a benchmark that reports no time runs before that is taken as its result.
// When its goroutine panics, testing continues at once with no time measured, and may end the
// process before the runtime has printed anything.
const maxDoubted = 4

// once runs the benchmarks of the function top for one iteration each.
func (b *Binary) once(ctx context.Context, top, pattern, skip string, o RunOptions) ([]string, []Failure) {
	o.Iterations, o.Time, o.Count, o.Profile = 1, 0, 0, Profiles{}
	args := append(o.args(), "-test.v", "-test.bench="+pattern)
	if skip != "" {
		args = append(args, "-test.skip="+skip)
	}
	var r *reader
	var end *ended
	var err error
	for range maxDoubted {
		r = newReader(top, 0)
		end, err = b.start(ctx, args, o, r)
		r.end()
		if err == nil && end.why() != "" {
			// The process may exit with 0 while a benchmark's goroutine panics.
			err = errExit
		}
		if err != nil || ctx.Err() != nil || !slices.ContainsFunc(r.results, result.timeless) {
			break
		}
	}
	names, procs := r.names()
	if err == nil || ctx.Err() != nil {
		return names, nil
	}
	var failures []Failure
	if errors.Is(err, errExit) {
		for _, name := range r.failed {
			if procs > 1 {
				name = strings.TrimSuffix(name, fmt.Sprintf("-%d", procs))
			}
			// A function fails when one below it does.
			above := slices.ContainsFunc(r.failed, func(other string) bool { return strings.HasPrefix(other, name+"/") })
			if !above {
				failures = append(failures, *b.failure(name, errFailed, end))
			}
		}
		if end.why() == "" && len(failures) > 0 {
			return names, failures
		}
	}
	// The last name announced has not ended successfully, even if it has a result: when a goroutine
	// panics, testing may be as quick as the runtime.
	running := top
	if n := len(r.announced); n > 0 && !slices.Contains(r.failed, r.announced[n-1]) {
		running = r.announced[n-1]
	}
	names = slices.DeleteFunc(names, func(name string) bool { return name == running })
	return names, append(failures, *b.failure(running, err, end))
}
