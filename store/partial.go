package store

import (
	"context"
	"strings"
)

// A PartialError reports an answer that lacks what is on some shards of a cluster.
type PartialError struct {
	Cluster string
	Missing []string // shards that do not answer: "shard 2 (10.0.0.2:9000)"
}

// Error returns which shards are missing.
func (e *PartialError) Error() string {
	verb := " does not answer"
	if len(e.Missing) > 1 {
		verb = " do not answer"
	}
	return strings.Join(e.Missing, ", ") + " of cluster " + e.Cluster + verb
}

// partialKey is the key of the function in the context of AllowPartial.
type partialKey struct{}

// AllowPartial returns a context whose queries may be answered without the shards of a cluster that
// do not answer. Before such a query returns, with or without an error, missing is called with them;
// by several goroutines if they query. In any other context a shard that is down is an error. Stores
// without shards ignore it.
func AllowPartial(ctx context.Context, missing func(*PartialError)) context.Context {
	return context.WithValue(ctx, partialKey{}, missing)
}

// PartialAllowed returns the function that AllowPartial got; nil if ctx is not from there.
func PartialAllowed(ctx context.Context) func(*PartialError) {
	missing, _ := ctx.Value(partialKey{}).(func(*PartialError))
	return missing
}
