package cli

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/spf13/pflag"

	"github.com/whet-go/whet/input"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/internal/store/documents"
	"github.com/whet-go/whet/internal/store/remote"
	"github.com/whet-go/whet/store"
	"github.com/whet-go/whet/store/clickhouse"
	"github.com/whet-go/whet/store/local"
)

// storeFlags name a store.
type storeFlags struct {
	Store        string
	TokenFile    string
	Tenant       string
	AllowPartial bool
}

// registerStore adds the flags. remote also allows addresses of whet serve.
func (f *storeFlags) registerStore(fs *pflag.FlagSet, remote bool) {
	if !remote {
		fs.StringVar(&f.Store, "store", "", "the store in `DIR`, or clickhouse://USER@HOST:PORT/DATABASE")
		return
	}
	fs.StringVar(&f.Store, "store", "",
		"the store in `DIR`, the address of whet serve --store, or clickhouse://USER@HOST:PORT/DATABASE")
	fs.StringVar(&f.TokenFile, "token-file", "", "send the token in `FILE` to the address; - is standard input")
	fs.StringVar(&f.Tenant, "tenant", "",
		"`NAME` of the tenant in a directory or database; an address knows it by the token")
}

// checkNamed refuses flags that have no effect without a store.
func (f *storeFlags) checkNamed(op string) error {
	if f.Store == "" && (f.TokenFile != "" || f.Tenant != "") {
		return diag.Usagef(op, "--token-file and --tenant have no effect without --store", "name the store")
	}
	return nil
}

// database is a store that this process reads and writes itself, in a directory or on ClickHouse.
type database interface {
	store.Store
	store.ResultStore
	store.RecordingStore
	store.LeaseStore
	Stats(ctx context.Context) (store.Usage, error)
	Check(ctx context.Context, progress func(done, all int)) (store.CheckReport, error)
	Compact(ctx context.Context) error
}

// openStore opens the store that the flags name.
func (a *app) openStore(ctx context.Context, op string, f *storeFlags, o local.Options) (store.Store, error) {
	switch {
	case f.Store == "":
		return nil, diag.Usagef(op, "no store is named", "name its directory with --store DIR")
	case f.AllowPartial && !clickhouse.IsAddress(f.Store) && !input.IsURL(f.Store):
		return nil, onlyCluster(op)
	case !input.IsURL(f.Store):
		if f.TokenFile != "" {
			return nil, diag.Usagef(op, "--token-file has an effect only on the address of whet serve", "leave it out")
		}
		return a.openDatabase(ctx, op, f, o)
	case f.Tenant != "":
		return nil, diag.Usagef(op, "--tenant has no effect on an address", "the token determines the tenant")
	}
	c := &remote.Client{
		Address: f.Store, Header: http.Header{}, HTTP: &http.Client{Timeout: time.Minute},
		AllowPartial: f.AllowPartial, Warn: a.storeWarning(),
	}
	if f.TokenFile != "" {
		token, err := input.ReadToken(f.TokenFile, a.stdin)
		if err != nil {
			return nil, err
		}
		c.Header.Set("Authorization", "Bearer "+token)
	}
	return c, nil
}

// openDatabase opens the store in a directory or on ClickHouse.
func (a *app) openDatabase(ctx context.Context, op string, f *storeFlags, o local.Options) (database, error) {
	if input.IsURL(f.Store) {
		return nil, diag.Usagef(op, plainAddress(f.Store)+" is an address of whet serve, not a store",
			"name the directory of the store, or clickhouse://HOST:PORT/DATABASE")
	}
	if !clickhouse.IsAddress(f.Store) {
		return a.openLocal(f.Store, o)
	}
	address, err := clickhouse.ParseAddress(f.Store)
	if err != nil {
		return nil, err
	}
	return clickhouse.Open(ctx, address, clickhouse.Options{
		Limits: o.Limits, Retention: o.Retention, AllowPartial: f.AllowPartial, Warn: a.storeWarning(),
	})
}

// onlyCluster is the error for --allow-partial of a directory.
func onlyCluster(op string) error {
	return diag.Usagef(op, "--allow-partial has an effect only on a cluster of ClickHouse", "leave it out")
}

// storeWarning returns what prints the warnings of a store once. A store calls it while a query waits
// for it, of which there may be several at once.
func (a *app) storeWarning() func(error) {
	var mu sync.Mutex
	return func(err error) {
		mu.Lock()
		defer mu.Unlock()
		w := diag.Warn(err)
		if lacks := (*store.PartialError)(nil); errors.As(err, &lacks) {
			w = documents.PartialWarning(lacks)
			all := append(slices.Clone(lacks.Missing), a.lacks.MissingShards...)
			slices.Sort(all)
			a.lacks.MissingShards = slices.Compact(all)
		}
		if !a.hasWarned(w) {
			a.warn(w)
		}
	}
}

// hasWarned reports whether a warning was printed before.
func (a *app) hasWarned(w diag.Warning) bool {
	for _, known := range a.warned {
		if known.String() == w.String() {
			return true
		}
	}
	return false
}

// openLocal opens the store in a directory.
func (a *app) openLocal(dir string, o local.Options) (*local.Store, error) {
	o.Warn = func(err error) { // from another goroutine
		_, _ = fmt.Fprintf(a.stderr, "whet: warning: %s\n", layout.Clean(bounded(err.Error())))
	}
	return local.Open(dir, o)
}

// withLocal opens a store in a directory for a command that ClickHouse has, too, and works on it.
func (a *app) withLocal(f *storeFlags, hint string, o local.Options, work func(*local.Store) error) error {
	if clickhouse.IsAddress(f.Store) {
		return diag.Usagef("store", "this is for a store in a directory, not on ClickHouse", hint)
	}
	if input.IsURL(f.Store) {
		return diag.Usagef("store", plainAddress(f.Store)+" is an address of whet serve, not a directory",
			"run this where the directory of the store is")
	}
	if f.Store == "" {
		return diag.Usagef("store", "no store is named", "name its directory with --store DIR")
	}
	s, err := a.openLocal(f.Store, o)
	if err != nil {
		return err
	}
	return errors.Join(work(s), s.Close())
}

// plainStore returns the name of a store without what is secret.
func plainStore(name string) string {
	switch {
	case clickhouse.IsAddress(name):
		address, err := clickhouse.ParseAddress(name)
		if err != nil {
			return "the address"
		}
		return address.String()
	case input.IsURL(name):
		return plainAddress(name)
	}
	return name
}
