package storetest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/profile/profiletest"
	"github.com/whet-go/whet/store"
)

// A Maintained is a store that can be checked and compacted.
type Maintained interface {
	store.Store
	store.ResultStore
	store.RecordingStore
	store.LeaseStore
	Check(ctx context.Context, progress func(done, all int)) (store.CheckReport, error)
	Compact(ctx context.Context) error
	Stats(ctx context.Context) (store.Usage, error)
}

// Options are those of a store under test.
type Options struct {
	Limits    store.Limits
	Retention store.Retention
	Now       func() time.Time // nil: time.Now
}

// A Store is an implementation.
type Store struct {
	// Open opens a store for a test, which closes it at its end. Calls with the same name open the
	// same store; it is empty at first, whatever other tests did.
	Open func(tb testing.TB, name string, o Options) Maintained
}

// Epoch is when generated profiles begin.
func Epoch() time.Time { return time.Date(2026, 5, 4, 3, 0, 0, 0, time.UTC) }

// Generated returns the profile number n of a service, which differs from all others. It is n minutes
// after Epoch; one in four is a heap profile.
func Generated(service string, n int, labels map[string]string) store.Profile {
	o := profiletest.Options{
		Seed: uint64(n % 5), Samples: 60 + n%7, Functions: 60, Inlines: true, Labels: n%3 == 0, MaxDepth: 12,
	}
	kind := "cpu"
	if n%4 == 3 {
		o.Heap, kind = true, "heap"
	}
	data := profiletest.Generate(o)
	data.Comments = []string{fmt.Sprintf("comment %d", n%2)}
	start := Epoch().Add(time.Duration(n) * time.Minute)
	data.Time, data.Duration = start, 30*time.Second
	return store.Profile{
		Service: service, Kind: kind, Labels: store.NewLabels(labels), Start: start, Duration: data.Duration, Data: data,
	}
}

// ContentOf identifies what a merged profile has.
func ContentOf(p *profile.Profile) store.ID {
	return store.NewID(&store.Profile{Start: p.Time, Duration: p.Duration, Data: p})
}

// Write stores a batch.
func Write(tb testing.TB, s store.Writer, tenant string, ps ...store.Profile) {
	tb.Helper()
	if err := s.Write(tb.Context(), tenant, ps); err != nil {
		tb.Fatal(err)
	}
}

// Matchers reads a selector.
func Matchers(tb testing.TB, selector string) []store.Matcher {
	tb.Helper()
	ms, err := store.ParseMatchers(selector)
	if err != nil {
		tb.Fatal(err)
	}
	return ms
}

// Clean fails if a store is damaged or has not this number of profiles.
func Clean(tb testing.TB, s Maintained, profiles int) {
	tb.Helper()
	r, err := s.Check(tb.Context(), nil)
	if err != nil {
		tb.Fatal(err)
	}
	if len(r.Damage) > 0 || r.Profiles != profiles {
		tb.Fatalf("check: %+v, want %d good profiles", r, profiles)
	}
}
