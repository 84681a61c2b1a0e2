package discover

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"
)

// Address is the label with the host and port of a target.
const Address = "__address__"

// MaxTargets is the number of targets that one source may have.
const MaxTargets = 20_000

// A Source finds targets.
type Source interface {
	// Run passes each list of all targets to update until ctx ends, and what went wrong: targets then
	// has those that were found before, where they cannot be found now. The lists and their maps
	// belong to the receiver.
	Run(ctx context.Context, update func(targets []map[string]string, err error))
	// String describes the source for people, without secrets.
	String() string
}

// errTooMany returns the error for a source with too many targets.
func errTooMany() error { return fmt.Errorf("more than %d targets", MaxTargets) }

// sleep waits for d and up to a tenth more, so that not all processes ask at once. It reports whether
// that time passed before ctx ended.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d + rand.N(d/10+1)) //nolint:gosec // not a secret
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}

// repeat calls look at intervals until ctx ends.
func repeat(ctx context.Context, every time.Duration, look func(context.Context)) {
	for {
		look(ctx)
		if !sleep(ctx, every) {
			return
		}
	}
}
