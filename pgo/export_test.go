package pgo

import (
	"context"

	"github.com/whet-go/whet/bench/ab"
)

// CompareWith compares the executables with f instead of as services under load; nil: by
// benchmarks.
func (o *Options) CompareWith(f func(ctx context.Context, paths [2]string) (*ab.Result, []string, error)) {
	o.compare = f
}
