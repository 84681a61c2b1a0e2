package fix

import (
	"context"

	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/bench/builds"
	"github.com/whet-go/whet/find"
)

// CompareWith compares builds by calling f instead of loading a service.
func (o *Options) CompareWith(f func(ctx context.Context, a, b builds.Side) (*ab.Result, error)) {
	o.compare = f
}

// LookWith calls f instead of find.Find between rounds.
func (o *Options) LookWith(f func(ctx context.Context, dir string) (*find.Result, error)) { o.look = f }

// BenchWith compares builds by calling f instead of builds.Run.
func (o *Options) BenchWith(
	f func(ctx context.Context, a, b builds.Side, o builds.Options) (*builds.Result, error),
) {
	o.bench = f
}
