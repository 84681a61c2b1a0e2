package collect

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/whet-go/whet/bench/gotest"
	"github.com/whet-go/whet/internal/diag"
)

// BenchmarkFiles creates dir and returns the path in it for the recording of each benchmark. The
// names are unique even if case is ignored. Existing files are an error unless replace is set.
func BenchmarkFiles(dir string, jobs []gotest.Job, replace bool) ([]string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, &diag.Error{Op: "make directory", Err: err, Hint: "name another with -o DIR"}
	}
	var out, there []string
	taken := map[string]bool{}
	for _, j := range jobs {
		base := fileName(path.Base(j.Binary.Package.ImportPath) + "." + strings.TrimPrefix(j.Name, "Benchmark"))
		name := base
		for n := 2; taken[strings.ToLower(name)]; n++ {
			name = fmt.Sprintf("%s-%d", base, n)
		}
		taken[strings.ToLower(name)] = true
		file := filepath.Join(dir, name+".whet")
		if _, err := os.Lstat(file); err == nil {
			there = append(there, file)
		}
		out = append(out, file)
	}
	if len(there) > 0 && !replace {
		more := ""
		if n := len(there) - 1; n > 0 {
			more = ", and " + numberOf(n, "other")
		}
		return nil, &diag.Error{
			Op: "write", Subject: there[0], Err: errors.New("the file exists" + more),
			Hint: "--force replaces them; -o names another directory",
		}
	}
	return out, nil
}

// BenchmarkCalls are the functions that Benchmarks calls. Both are required.
type BenchmarkCalls struct {
	Begin func(i int) // before benchmark i is recorded
	// Made is called with each complete recording. Its errors are added to the failures.
	Made func(job gotest.Job, sum *Summary) error
}

// Benchmarks records benchmarks one after the other, each to its file. opt has the options that
// they share. When ctx ends, the recording of the current benchmark is removed, because it is
// incomplete, and the others are kept.
func Benchmarks(
	ctx context.Context, jobs []gotest.Job, files []string, opt Options, calls BenchmarkCalls,
) (interrupted bool, failures []error) {
	for i, job := range jobs {
		if ctx.Err() != nil {
			return true, failures
		}
		calls.Begin(i)
		opt.Benchmark, opt.Out = &job, files[i]
		sum, err := Run(ctx, opt)
		if err == nil {
			err = errors.Join(sum.Failures...)
		}
		switch {
		case ctx.Err() != nil && (err != nil || sum.Meta.Interrupted):
			interrupted, err = true, nil
			if sum != nil {
				err = os.Remove(sum.Path)
			}
		case sum != nil:
			err = errors.Join(err, calls.Made(job, sum))
		}
		if err != nil {
			failures = append(failures, err)
		}
	}
	return interrupted, failures
}

// maxFileName leaves enough of the 255 bytes that file systems allow for a suffix.
const maxFileName = 150

// fileName turns a benchmark's name into a file name that every file system accepts.
func fileName(name string) string {
	name = strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || slices.Contains([]rune("._=,#-"), r) {
			return r
		}
		return '_'
	}, name)
	for len(name) > maxFileName {
		runes := []rune(name)
		name = string(runes[:len(runes)-1])
	}
	return strings.TrimLeft(name, ".-")
}
