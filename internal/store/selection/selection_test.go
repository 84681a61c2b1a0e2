package selection_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/whet-go/whet/internal/store/selection"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/profile/profiletest"
	"github.com/whet-go/whet/recording"
	"github.com/whet-go/whet/store"
	"github.com/whet-go/whet/store/local"
)

// TestWrite writes what is selected, of each kind, and reads it again.
func TestWrite(t *testing.T) {
	s, err := local.Open(t.TempDir(), local.Options{Create: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	at := time.Date(2026, 5, 4, 3, 0, 0, 0, time.UTC)
	var all []store.Profile
	for i, kind := range []string{"heap", "cpu", "cpu", "heap"} {
		all = append(all, store.Profile{
			Service: "shop", Kind: kind, Start: at.Add(time.Duration(i) * time.Minute), Duration: time.Second,
			Data: profiletest.Generate(profiletest.Options{Seed: uint64(i) + 1, Samples: 50}),
		})
	}
	all = append(all, store.Profile{Service: "mail", Kind: "mutex", Start: at, Data: all[0].Data})
	if err := s.Write(t.Context(), "", all); err != nil {
		t.Fatal(err)
	}
	matchers, err := store.ParseMatchers(`{service="shop"}`)
	if err != nil {
		t.Fatal(err)
	}
	q := store.Query{Matchers: matchers, From: at.Add(time.Second)}
	file := filepath.Join(t.TempDir(), "shop.whet")
	stats, err := selection.Write(t.Context(), s, q, file)
	if err != nil || stats.Profiles != 3 || !stats.First.Equal(at.Add(time.Minute)) {
		t.Fatalf("%+v, %v", stats, err)
	}
	r, err := recording.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	m := r.Meta()
	if names := r.ProfileNames(); len(names) != 2 || len(r.Warnings) > 0 || m.Target.Kind != recording.Stored ||
		!m.Created.Equal(at.Add(time.Minute)) || m.Duration != 2*time.Minute {
		t.Errorf("profiles %q, %+v, warnings %v", names, m, r.Warnings)
	}
	for _, kind := range []string{"cpu", "heap"} {
		got, err := r.Profile(kind)
		if err != nil {
			t.Fatal(err)
		}
		of := q
		of.Kind = kind
		want, _, err := s.Merge(t.Context(), of)
		if err != nil {
			t.Fatal(err)
		}
		if total(t, got) != total(t, want) || got.NumSamples() != want.NumSamples() {
			t.Errorf("%s: %d in %d samples, want %d in %d", kind, total(t, got), got.NumSamples(), total(t, want),
				want.NumSamples())
		}
	}

	q.To = q.From.Add(time.Second) // there is nothing
	empty := filepath.Join(t.TempDir(), "empty.whet")
	if _, err := selection.Write(t.Context(), s, q, empty); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("nothing is selected: %v", err)
	}
	if _, err := os.Stat(empty); err == nil {
		t.Error("a file was written")
	}
}

// total returns the sum of the last sample type.
func total(t *testing.T, p *profile.Profile) (sum int64) {
	t.Helper()
	for i := range p.NumSamples() {
		sum += p.Value(i, len(p.SampleTypes)-1)
	}
	return sum
}
