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
func (a *app) storedBenchmarks(ctx context.Context, name string) (dir string, remove func() error, err error) {
	s, err := a.openDatabase(ctx, &storeFlags{Store: name}, local.Options{ReadOnly: true})
	if err != nil {
		return "", nil, err
	}
	results, err := s.Results(ctx, store.ResultQuery{Kind: benchKind, Limit: 1 << 30})
	if err := errors.Join(err, s.Close()); err != nil {
		return "", nil, err
	}
	if len(results) == 0 {
		return "", nil, &diag.Error{
			Op: "bench history", Subject: plainStore(name), Err: errors.New("the store has no results of benchmarks"),
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
func (a *app) storeBenchmarks(ctx context.Context, name, service string, files []string) error {
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
	s, err := a.openDatabase(ctx, &storeFlags{Store: name}, local.Options{Create: true})
	if err != nil {
		return err
	}
	return errors.Join(s.WriteResults(ctx, "", results), s.Close())
}
