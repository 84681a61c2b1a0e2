package selection

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/recording"
	"github.com/whet-go/whet/store"
)

// Write writes a recording of the profiles that q selects into a file, which it replaces, and returns how many there
// are. Without a kind in q, it has all kinds. The file is written as a whole, or not at all.
func Write(ctx context.Context, r store.Reader, q store.Query, file string) (all store.Stats, err error) {
	kinds, first, last, err := selected(ctx, r, q)
	if err != nil {
		return all, err
	}
	meta := recording.Meta{
		Created: first, Duration: last.Sub(first),
		Target: recording.Target{Kind: recording.Stored, Address: q.Name()},
	}
	w, err := recording.Create(file, meta)
	if err != nil {
		return all, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, w.Abort())
		}
	}()
	for _, kind := range kinds {
		of := q
		of.Kind = kind
		p, stats, err := r.Merge(ctx, of)
		if err != nil {
			return all, fmt.Errorf("merge the profiles of kind %s: %w", kind, err)
		}
		part := recording.Part{
			Start: stats.First, End: stats.Last, Note: fmt.Sprintf("merged from %d profiles", stats.Profiles),
		}
		if err := w.AddProfile(kind, p, part); err != nil {
			return all, err
		}
		all.Profiles += stats.Profiles
		all.Samples += stats.Samples
		all.Series += stats.Series
	}
	all.First, all.Last = first, last
	return all, w.Close(meta)
}

// selected returns the kinds of the series that q selects, and the time span of their profiles.
func selected(ctx context.Context, r store.Reader, q store.Query) (kinds []string, first, last time.Time, err error) {
	series, err := r.Series(ctx, q)
	if err != nil {
		return nil, first, last, err
	}
	for _, s := range series {
		if !slices.Contains(kinds, s.Kind) {
			kinds = append(kinds, s.Kind)
		}
		if first.IsZero() || s.First.Before(first) {
			first = s.First
		}
		if s.Last.After(last) {
			last = s.Last
		}
	}
	if len(kinds) == 0 {
		return nil, first, last, &diag.Error{
			Op: "query", Subject: store.Selector(q.Matchers), Err: store.ErrNotFound,
			Hint: "`whet query series` lists what is stored",
		}
	}
	slices.Sort(kinds)
	return kinds, first, last, nil
}
