package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/store"
	"github.com/whet-go/whet/store/local"
)

// benchKind is the kind of results of benchmarks in a store, and benchTime the time in the names of
// their files.
const (
	benchKind = "bench"
	benchTime = "20060102T150405Z"
)

// storedBenchmarks writes the results of benchmarks in a store to a directory, which remove removes.
func (a *app) storedBenchmarks(ctx context.Context, f *storeFlags) (dir string, remove func() error, err error) {
	var results []store.Result
	err = a.withResults(ctx, "bench history", f, local.Options{ReadOnly: true}, func(s store.ResultStore) (err error) {
		results, err = s.Results(ctx, store.ResultQuery{Tenant: f.Tenant, Kind: benchKind, Limit: 1 << 30})
		return err
	})
	if err != nil {
		return "", nil, err
	}
	if len(results) == 0 {
		return "", nil, &diag.Error{
			Op: "bench history", Subject: plainStore(f.Store), Err: errors.New("the store has no results of benchmarks"),
			Hint: "`whet bench history add --store DIR FILE` adds them",
		}
	}
	if dir, err = os.MkdirTemp("", "whet-history-"); err != nil {
		return "", nil, err
	}
	remove = func() error { return os.RemoveAll(dir) }
	for i, r := range results {
		file := fmt.Sprintf("%s-%s-%d.txt", r.Time.UTC().Format(benchTime), r.Revision, i+1)
		if err := os.WriteFile(filepath.Join(dir, file), r.Document, 0o600); err != nil {
			return "", nil, errors.Join(err, remove())
		}
	}
	return dir, remove, nil
}

// storeBenchmarks adds the files that history.Add wrote to a store.
func (a *app) storeBenchmarks(ctx context.Context, f *storeFlags, service string, files []string) error {
	var results []store.Result
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		at, commit, _ := strings.Cut(strings.TrimSuffix(filepath.Base(file), ".txt"), "-")
		commit, _, _ = strings.Cut(commit, "-")
		r := store.Result{Kind: benchKind, Service: service, Revision: commit, Document: text}
		if r.Time, err = time.Parse(benchTime, at); err != nil {
			return err
		}
		results = append(results, r)
	}
	return a.withResults(ctx, "bench history", f, local.Options{Create: true}, func(s store.ResultStore) error {
		return s.WriteResults(ctx, f.Tenant, results)
	})
}

// withResults opens a store, works on the results in it, and closes it.
func (a *app) withResults(
	ctx context.Context, op string, f *storeFlags, o local.Options, work func(store.ResultStore) error,
) error {
	s, err := a.openStore(ctx, op, f, o)
	if err != nil {
		return err
	}
	results, ok := s.(store.ResultStore)
	if !ok {
		return errors.Join(fmt.Errorf("%s: a store of type %T has no results", op, s), s.Close())
	}
	return errors.Join(work(results), s.Close())
}
