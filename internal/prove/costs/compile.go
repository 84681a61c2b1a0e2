package costs

import (
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/whet-go/whet/internal/prove/scratch"
)

// Compilations of a package in each version, and how much longer the fastest of B must take than the
// slowest of A.
const (
	compileRuns   = 3
	compileFactor = 1.5
	compileAddend = 500 * time.Millisecond
)

// CompileTime compares how long a package takes to compile in both versions. Each call of build
// compiles it again; attempt is another number each time.
func CompileTime(
	ctx context.Context, pkg string, build [2]func(ctx context.Context, attempt int) error,
) (list []Cost, err error) {
	var took sides
	for attempt := range compileRuns {
		for side, build := range build {
			began := time.Now()
			if err := build(ctx, attempt); err != nil {
				return nil, err
			}
			took[side] = append(took[side], float64(time.Since(began)))
		}
		list = took.more("time to compile the package", pkg, "ns", compileFactor, float64(compileAddend))
		if len(list) == 0 {
			return nil, nil
		}
	}
	return list, nil
}

// Compiler returns a function that compiles a package of a copy again, with flags, as CompileTime calls it.
func Compiler(m *scratch.Module, env []string, pkg string, flags ...string) func(context.Context, int) error {
	return func(ctx context.Context, attempt int) error {
		// Another flag of the compiler makes the go command compile it again.
		again := fmt.Sprintf("-gcflags=%s=-trimpath=/%d", pkg, attempt)
		out, err := m.Go(ctx, env, "build", slices.Concat(flags, []string{again, "-o", os.DevNull, pkg})...)
		if err != nil {
			return fmt.Errorf("%w: %s", err, scratch.LastLines(out))
		}
		return nil
	}
}
