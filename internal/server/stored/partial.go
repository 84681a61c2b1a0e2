package stored

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/store/documents"
	"github.com/whet-go/whet/store"
)

// gaps are the shards that the answer to a request lacks.
type gaps struct {
	mu    sync.Mutex
	found *store.PartialError // nil: none
}

// gapsKey is the key of the gaps in a request's context.
type gapsKey struct{}

// Allow returns a request whose queries may be answered without shards that are down, if AllowPartial
// is set. The answer's header then has documents.PartialHeader, whatever its format is.
func (s *API) Allow(w http.ResponseWriter, r *http.Request) *http.Request {
	if !s.AllowPartial {
		return r
	}
	g := &gaps{}
	ctx := context.WithValue(r.Context(), gapsKey{}, g)
	return r.WithContext(store.AllowPartial(ctx, func(e *store.PartialError) {
		g.mu.Lock()
		defer g.mu.Unlock()
		all := slices.Clone(e.Missing)
		if g.found != nil {
			all = append(all, g.found.Missing...)
		}
		slices.Sort(all)
		g.found = &store.PartialError{Cluster: e.Cluster, Missing: slices.Compact(all)}
		documents.SetPartial(w.Header(), g.found)
	}))
}

// lacking returns what the answers to a request lack until now; nil if they are complete.
func lacking(ctx context.Context) *store.PartialError {
	g, _ := ctx.Value(gapsKey{}).(*gaps)
	if g == nil {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.found
}

// partial returns what a document says of the shards that it lacks.
func partial(ctx context.Context) (documents.Partial, diag.Warnings) {
	e := lacking(ctx)
	if e == nil {
		return documents.Partial{}, nil
	}
	return documents.Partial{MissingShards: e.Missing}, diag.Warnings{documents.PartialWarning(e)}
}

// Lacks returns the warning that the answer to a request lacks shards, if it does.
func Lacks(ctx context.Context) diag.Warnings {
	_, lacks := partial(ctx)
	return lacks
}

// Incomplete adds to the error of a request which shards did not answer: what was not found may be on
// these.
func Incomplete(ctx context.Context, err error) error {
	if e := lacking(ctx); e != nil {
		return fmt.Errorf("%w: %w", err, e)
	}
	return err
}
