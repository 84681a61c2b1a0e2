package local

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/profile/profiletest"
	"github.com/whet-go/whet/store"
)

// epoch is when generated profiles begin.
var epoch = time.Date(2026, 5, 4, 3, 0, 0, 0, time.UTC)

func openTest(tb testing.TB, dir string, o Options) *Store {
	tb.Helper()
	o.Create = !o.ReadOnly
	if o.Warn == nil {
		o.Warn = func(err error) { tb.Error(err) }
	}
	s, err := Open(dir, o)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Error(err)
		}
	})
	return s
}

// generated returns the profile number n of a service, which differs from all others.
func generated(service string, n int, labels map[string]string) store.Profile {
	o := profiletest.Options{
		Seed: uint64(n % 5), Samples: 60 + n%7, Functions: 60, Inlines: true, Labels: n%3 == 0, MaxDepth: 12,
	}
	kind := "cpu"
	if n%4 == 3 {
		o.Heap, kind = true, "heap"
	}
	data := profiletest.Generate(o)
	data.Comments = []string{fmt.Sprintf("comment %d", n%2)}
	start := epoch.Add(time.Duration(n) * time.Minute)
	data.Time, data.Duration = start, 30*time.Second
	return store.Profile{
		Service: service, Kind: kind, Labels: store.NewLabels(labels), Start: start, Duration: data.Duration, Data: data,
	}
}

// contentOf identifies what a merged profile has.
func contentOf(p *profile.Profile) store.ID {
	return store.NewID(&store.Profile{Start: p.Time, Duration: p.Duration, Data: p})
}

func write(tb testing.TB, s *Store, tenant string, ps ...store.Profile) {
	tb.Helper()
	if err := s.Write(tb.Context(), tenant, ps); err != nil {
		tb.Fatal(err)
	}
}

func matchers(tb testing.TB, selector string) []store.Matcher {
	tb.Helper()
	ms, err := store.ParseMatchers(selector)
	if err != nil {
		tb.Fatal(err)
	}
	return ms
}

// clean fails if a store is damaged.
func clean(tb testing.TB, s *Store, profiles int) {
	tb.Helper()
	r, err := s.Check(tb.Context(), nil)
	if err != nil {
		tb.Fatal(err)
	}
	if len(r.Damage) > 0 || r.Profiles != profiles {
		tb.Fatalf("check: %+v, want %d good profiles", r, profiles)
	}
}

// TestMergeEqualsProfiles compares what the store merges with profile.Merge of the same profiles,
// selected by hand, for random queries; before and after the store is compacted and opened again.
func TestMergeEqualsProfiles(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	dir := t.TempDir()
	s := openTest(t, dir, Options{})
	var all []store.Profile
	for n := range 90 {
		all = append(all, generated([]string{"shop", "mail", "auth"}[n%3], n, map[string]string{
			"env": []string{"prod", "test"}[rnd.IntN(2)], "host": fmt.Sprint(rnd.IntN(3)),
		}))
	}
	for at := 0; at < len(all); {
		end := min(len(all), at+1+rnd.IntN(9))
		from := max(0, at-rnd.IntN(3)) // some are sent again
		write(t, s, "", all[from:end]...)
		at = end
	}
	selectors := []string{
		`{}`, `{service="shop"}`, `{service=~"shop|mail",env="prod"}`, `{host!="1",service!="auth"}`, `{env!~"p.*"}`,
		`{zone=""}`,
	}
	compare := func(s *Store) {
		t.Helper()
		for range 40 {
			q := store.Query{Kind: []string{"cpu", "heap"}[rnd.IntN(2)]}
			q.Matchers = matchers(t, selectors[rnd.IntN(len(selectors))])
			q.From = epoch.Add(time.Duration(rnd.IntN(60)) * time.Minute)
			if q.To = q.From.Add(time.Duration(rnd.IntN(80)) * time.Minute); rnd.IntN(4) == 0 {
				q.From, q.To = time.Time{}, time.Time{}
			}
			var want []*profile.Profile
			samples := int64(0)
			for i := range all {
				p := &all[i]
				in := (q.From.IsZero() || !p.Start.Before(q.From)) && (q.To.IsZero() || p.Start.Before(q.To))
				if in && q.Matches(p.Service, p.Kind, p.Labels) {
					want = append(want, p.Data)
					samples += int64(p.Data.NumSamples())
				}
			}
			got, stats, err := s.Merge(t.Context(), q)
			if len(want) == 0 {
				if !errors.Is(err, store.ErrNotFound) {
					t.Fatalf("%+v: %v, want ErrNotFound", q, err)
				}
				continue
			}
			if err != nil {
				t.Fatalf("%+v: %v", q, err)
			}
			merged, err := profile.Merge(want...)
			if err != nil {
				t.Fatal(err)
			}
			if contentOf(got) != contentOf(merged) || stats.Profiles != len(want) || stats.Samples != samples {
				t.Fatalf("%+v: %d samples of %d profiles, want %d of %d", q, got.NumSamples(), stats.Profiles,
					merged.NumSamples(), len(want))
			}
			slices.Sort(got.Comments)
			slices.Sort(merged.Comments)
			if !slices.Equal(got.Comments, merged.Comments) || len(got.Functions) != len(merged.Functions) {
				t.Fatalf("comments %q, %d functions, want %q, %d", got.Comments, len(got.Functions), merged.Comments,
					len(merged.Functions))
			}
		}
	}
	compare(s)
	clean(t, s, len(all))
	if err := s.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	compare(s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = openTest(t, dir, Options{})
	write(t, s, "", all[:10]...)
	compare(s)
	compare(openTest(t, dir, Options{ReadOnly: true, Memory: 1}))
	clean(t, s, len(all))

	for i := range all[:12] {
		id := store.NewID(&all[i])
		p, err := s.Get(t.Context(), "", id)
		if err != nil {
			t.Fatal(err)
		}
		if store.NewID(&p) != id || len(p.Data.Functions) != len(all[i].Data.Functions) {
			t.Fatalf("profile %d came back changed", i)
		}
	}
}

func TestReader(t *testing.T) {
	s := openTest(t, t.TempDir(), Options{})
	ctx := t.Context()
	var all []store.Profile
	for n := range 8 {
		all = append(all, generated("shop", n, map[string]string{"version": fmt.Sprint(n / 4)}))
	}
	all = append(all, generated("mail", 9, nil))
	write(t, s, "", all...)
	q := store.Query{Matchers: matchers(t, `{service="shop"}`)}

	names, err := s.LabelNames(ctx, q)
	if err != nil || !slices.Equal(names, []string{"kind", "service", "version"}) {
		t.Errorf("label names %q, %v", names, err)
	}
	for name, want := range map[string]string{
		"version": "[0 1]", "service": "[shop]", "kind": "[cpu heap]", "none": "[]",
	} {
		if values, err := s.LabelValues(ctx, q, name); err != nil || fmt.Sprint(values) != want {
			t.Errorf("values of %s: %v, %v, want %s", name, values, err, want)
		}
	}
	series, err := s.Series(ctx, q)
	if err != nil || len(series) != 4 {
		t.Fatalf("series %+v, %v", series, err)
	}
	if x := series[0]; x.Kind != "cpu" || x.Profiles != 3 || !x.First.Equal(epoch) ||
		!x.Last.Equal(epoch.Add(2*time.Minute)) || x.Labels.Get("version") != "0" {
		t.Errorf("first series %+v", x)
	}
	types, err := s.Types(ctx, q)
	if err != nil || len(types) != 2 || types[0].Kind != "cpu" || types[0].SampleTypes[1].Type != "cpu" ||
		types[0].Period != 1e7 || len(types[1].SampleTypes) != 4 {
		t.Errorf("types %+v, %v", types, err)
	}
	metas, err := s.Profiles(ctx, store.Query{}, 3)
	if err != nil || len(metas) != 3 || metas[0].Service != "mail" || metas[1].ID != store.NewID(&all[7]) ||
		metas[1].Samples != all[7].Data.NumSamples() {
		t.Errorf("profiles %+v, %v", metas, err)
	}
	if _, _, err := s.Merge(ctx, q); err == nil || !strings.Contains(err.Error(), "cpu, heap") || diag.Hint(err) == "" {
		t.Errorf("two kinds: %v", err)
	}
	if _, err := s.Get(ctx, "", store.ID{1}); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("unknown ID: %v", err)
	}
	q.Kind = "cpu"
	q.From, q.To = epoch, epoch.Add(8*time.Minute)
	timeline, err := store.Timeline(ctx, s, store.TimelineQuery{Query: q, Step: 3 * time.Minute, Lines: 5})
	if err != nil {
		t.Fatal(err)
	}
	whole, stats, err := s.Merge(ctx, q)
	if err != nil {
		t.Fatal(err)
	}
	v, err := whole.View(profile.Query{Type: -1})
	if err != nil {
		t.Fatal(err)
	}
	lines := v.Own(func(profile.Function) bool { return true }).Lines
	sum := int64(0)
	for _, x := range timeline.Totals {
		sum += x
	}
	if len(timeline.Totals) != 3 || sum != v.Total() || len(timeline.Lines) != 5 ||
		timeline.Lines[0].Total != lines[0].Cost || timeline.Stats.Profiles != stats.Profiles {
		t.Errorf("timeline %+v, want a total of %d and %+v", timeline, v.Total(), lines[0])
	}
}

func TestTenantsAreSeparate(t *testing.T) {
	s := openTest(t, t.TempDir(), Options{})
	ctx := t.Context()
	p := generated("shop", 1, map[string]string{"secret": "blue"})
	write(t, s, "blue", p)
	write(t, s, "red", generated("shop", 2, nil))
	id := store.NewID(&p)
	if _, err := s.Get(ctx, "red", id); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("red gets a profile of blue: %v", err)
	}
	if _, err := s.Get(ctx, "blue", id); err != nil {
		t.Error(err)
	}
	for _, tenant := range []string{"red", "", "green"} {
		if names, err := s.LabelNames(ctx, store.Query{Tenant: tenant}); err != nil || slices.Contains(names, "secret") {
			t.Errorf("%q sees labels %q, %v", tenant, names, err)
		}
		if metas, err := s.Profiles(ctx, store.Query{Tenant: tenant}, 0); err != nil || len(metas) > 1 ||
			len(metas) == 1 && metas[0].ID == id {
			t.Errorf("%q sees profiles %+v, %v", tenant, metas, err)
		}
	}
	write(t, s, "red", p) // the same content is another profile there
	red, _, err := s.Merge(ctx, store.Query{Tenant: "red", Kind: "cpu"})
	if err != nil || red.NumSamples() == 0 {
		t.Errorf("red: %v", err)
	}
	clean(t, s, 3)
	var invalid *store.InvalidError
	if err := s.Write(ctx, "../etc", []store.Profile{p}); !errors.As(err, &invalid) {
		t.Errorf("a bad tenant: %v", err)
	}
}

func TestLimits(t *testing.T) {
	s := openTest(t, t.TempDir(), Options{Limits: store.Limits{Series: 3, Samples: 63, ProfileRate: 0.001, Burst: 20}})
	ctx := t.Context()
	for i := range 3 {
		write(t, s, "", generated("shop", 0, map[string]string{"host": fmt.Sprint(i)}))
	}
	for what, ps := range map[string][]store.Profile{
		"series": {
			generated("shop", 0, map[string]string{"host": "a"}), generated("shop", 1, map[string]string{"host": "1"}),
		},
		"samples":    {generated("shop", 6, nil)},
		"per second": slices.Repeat([]store.Profile{generated("shop", 0, map[string]string{"host": "1"})}, 19),
	} {
		var limit *store.LimitError
		err := s.Write(ctx, "", ps)
		if !errors.As(err, &limit) || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
			continue
		}
		if want := cmp.Or(map[string]int{"samples": 413}[what], 429); limit.Status() != want {
			t.Errorf("%s: status %d", what, limit.Status())
		}
	}
	write(t, s, "", generated("shop", 1, map[string]string{"host": "1"})) // series that are known go on
	write(t, s, "other", generated("shop", 1, nil))
	clean(t, s, 5)
}

func TestOpenErrors(t *testing.T) {
	dir := t.TempDir()
	if _, err := Open(filepath.Join(dir, "none"), Options{}); err == nil || diag.Hint(err) == "" {
		t.Errorf("no store: %v", err)
	}
	s := openTest(t, dir, Options{})
	write(t, s, "", generated("shop", 1, nil))
	if _, err := Open(dir, Options{}); err == nil || !strings.Contains(err.Error(), "another process writes to it") {
		t.Errorf("a second writer: %v", err)
	}
	r := openTest(t, dir, Options{ReadOnly: true})
	if err := r.Write(t.Context(), "", []store.Profile{generated("shop", 2, nil)}); !errors.Is(err, errReadOnly) {
		t.Errorf("writing read-only: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Write(t.Context(), "", []store.Profile{generated("shop", 3, nil)}); !errors.Is(err, ErrClosed) {
		t.Errorf("writing to a closed store: %v", err)
	}
	change := func(pragma string) {
		t.Helper()
		db, err := sql.Open("sqlite", filepath.Join(dir, databaseName))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := db.Exec("PRAGMA " + pragma); err != nil {
			t.Fatal(err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	change("user_version=2")
	for _, o := range []Options{{}, {ReadOnly: true}} {
		if _, err := Open(dir, o); err == nil || !strings.Contains(err.Error(), "format 2") {
			t.Errorf("a newer format: %v", err)
		}
	}
	change("application_id=7")
	if _, err := Open(dir, Options{}); err == nil || !strings.Contains(err.Error(), "not a store") {
		t.Errorf("another database: %v", err)
	}
	dir = t.TempDir()
	garbage := bytes.Repeat([]byte("no database "), 1000)
	if err := os.WriteFile(filepath.Join(dir, databaseName), garbage, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir, Options{}); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("not a database: %v", err)
	}
}

func TestDiskFull(t *testing.T) {
	s := openTest(t, t.TempDir(), Options{})
	ctx := t.Context()
	write(t, s, "", generated("shop", 0, nil))
	pages := func(n string) {
		t.Helper()
		err := s.alone(ctx, func(ctx context.Context, w *writer) error {
			_, err := column[int](ctx, w.conn, "PRAGMA max_page_count="+n)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	pages("1") // means as many as there are
	stored, failed := 1, 0
	for n := 1; n < 40; n++ {
		batch := []store.Profile{generated("shop", n, nil), generated(fmt.Sprint("new", n), n, nil)}
		err := s.Write(ctx, "", batch)
		if err == nil {
			stored += 2
			continue
		}
		if !strings.Contains(err.Error(), "disk is full") || diag.Hint(err) == "" {
			t.Fatal(err)
		}
		failed++
	}
	if failed == 0 {
		t.Fatal("the disk was never full")
	}
	clean(t, s, stored)
	pages("1000000")
	for n := range 40 {
		write(t, s, "", generated("shop", n, nil), generated(fmt.Sprint("new", n), n, nil))
	}
	clean(t, s, 80)
	got, _, err := s.Merge(ctx, store.Query{Kind: "cpu", Matchers: matchers(t, "service=shop")})
	if err != nil {
		t.Fatal(err)
	}
	var want []*profile.Profile
	for n := range 40 {
		if p := generated("shop", n, nil); p.Kind == "cpu" {
			want = append(want, p.Data)
		}
	}
	if merged, err := profile.Merge(want...); err != nil || contentOf(merged) != contentOf(got) {
		t.Errorf("after failures the profiles differ: %v", err)
	}
}

func TestRetention(t *testing.T) {
	dir := t.TempDir()
	s := openTest(t, dir, Options{})
	for n := range 100 {
		write(t, s, "", generated("shop", n, map[string]string{"host": fmt.Sprint(n / 50)}))
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	now := epoch.Add(1000 * time.Hour) // a wrong clock deletes nothing that is recent in the store
	s = openTest(t, dir, Options{Now: func() time.Time { return now }, Retention: Retention{Age: 29 * time.Minute}})
	if err := s.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	metas, err := s.Profiles(t.Context(), store.Query{}, 0)
	if err != nil || len(metas) != 30 || !metas[29].Start.Equal(epoch.Add(70*time.Minute)) {
		t.Fatalf("%d profiles: %v", len(metas), err)
	}
	if series, err := s.Series(t.Context(), store.Query{}); err != nil || len(series) != 2 {
		t.Errorf("series %+v, %v", series, err)
	}
	clean(t, s, 30)
	stats, err := s.Stats(t.Context())
	if err != nil || len(stats.Services) != 1 || stats.Services[0].Profiles != 30 || stats.Services[0].Symbols == 0 ||
		stats.Free > 1<<20 {
		t.Errorf("stats %+v, %v", stats, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}

	limit := int64(256 << 10)
	s = openTest(t, dir, Options{Retention: Retention{Size: limit}})
	for n := range 400 {
		write(t, s, "", generated("shop", n, map[string]string{"n": fmt.Sprint(n)}))
		if n%40 == 0 {
			if err := s.Compact(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := s.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	if stats, err = s.Stats(t.Context()); err != nil || stats.Bytes > limit || len(stats.Services) == 0 {
		t.Fatalf("stats %+v, %v", stats, err)
	}
	clean(t, s, stats.Services[0].Profiles)
}

func TestBackup(t *testing.T) {
	dir := t.TempDir()
	s := openTest(t, filepath.Join(dir, "store"), Options{})
	for n := range 20 {
		write(t, s, "", generated("shop", n, nil))
	}
	var writing sync.WaitGroup
	writing.Go(func() {
		for n := 20; n < 60; n++ {
			batch := []store.Profile{generated("shop", n, nil), generated("mail", n, nil)}
			if err := s.Write(t.Context(), "", batch); err != nil {
				t.Error(err)
			}
		}
	})
	file := filepath.Join(dir, "backup.db")
	size, err := s.Backup(t.Context(), file)
	writing.Wait()
	if err != nil || size == 0 {
		t.Fatalf("%d bytes, %v", size, err)
	}
	if _, err := s.Backup(t.Context(), file); err == nil {
		t.Error("an existing file is overwritten")
	}
	r, err := Restore(t.Context(), file, filepath.Join(dir, "restored"), nil)
	if err != nil || r.Profiles < 20 || r.Profiles%2 != 0 {
		t.Fatalf("%+v, %v: want whole batches", r, err)
	}
	restored := openTest(t, filepath.Join(dir, "restored"), Options{})
	clean(t, restored, r.Profiles)
	write(t, restored, "", generated("shop", 1000, nil))
	if _, err := Restore(t.Context(), file, filepath.Join(dir, "restored"), nil); err == nil {
		t.Error("a store is overwritten")
	}
	left, err := filepath.Glob(filepath.Join(dir, "restored", "restore-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %q, %v", left, err)
	}
}

func TestCheckFindsDamage(t *testing.T) {
	dir := t.TempDir()
	s := openTest(t, dir, Options{})
	for n := range 12 {
		write(t, s, "", generated([]string{"shop", "mail"}[n%2], n, nil))
	}
	change := func(text string, args ...any) {
		t.Helper()
		err := s.alone(t.Context(), func(ctx context.Context, w *writer) error {
			_, err := w.conn.ExecContext(ctx, text, args...)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	change("UPDATE profile SET data=substr(data, 1, length(data)-1) WHERE id=1")
	change("UPDATE profile SET start=start+1 WHERE id=4")
	change("UPDATE profile SET series=99 WHERE id=5")
	change("UPDATE profile SET head=99 WHERE id=6")
	change("DELETE FROM chunk WHERE dictionary=(SELECT id FROM dictionary WHERE service='mail') AND first=0")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = openTest(t, dir, Options{Warn: func(error) {}})
	r, err := s.Check(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprint(r.Damage)
	for _, want := range []string{"service shop", "symbols of service mail", "series is missing", "damaged"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in %s", want, text)
		}
	}
	if r.Profiles != 11 || len(r.Damage) != 9 { // all 6 of mail, 2 of shop, and the symbols
		t.Errorf("%d profiles, %d damaged: %s", r.Profiles, len(r.Damage), text)
	}
	// Other profiles can still be queried, and new ones stored.
	write(t, s, "", generated("mail", 100, nil))
	q := store.Query{Kind: "cpu", Matchers: matchers(t, "service=mail"), From: epoch.Add(99 * time.Minute)}
	if _, stats, err := s.Merge(t.Context(), q); err != nil || stats.Profiles != 1 {
		t.Errorf("%+v, %v", stats, err)
	}
	if _, _, err := s.Merge(t.Context(), store.Query{Kind: "cpu"}); !errors.Is(err, errDamaged) {
		t.Errorf("a query of damaged profiles: %v", err)
	}
	file := filepath.Join(t.TempDir(), "backup")
	if _, err := s.Backup(t.Context(), file); err != nil {
		t.Fatal(err)
	}
	if _, err := Restore(t.Context(), file, filepath.Join(t.TempDir(), "new"), nil); err == nil ||
		!strings.Contains(err.Error(), "backup is damaged") {
		t.Errorf("restoring a damaged backup: %v", err)
	}
}

// TestConcurrent reads in this process, and as another one would, while several write.
func TestConcurrent(t *testing.T) {
	dir := t.TempDir()
	s := openTest(t, dir, Options{})
	write(t, s, "", generated("shop", 0, nil))
	other := openTest(t, dir, Options{ReadOnly: true})
	const writers, each = 4, 40
	var writing, reading sync.WaitGroup
	for w := range writers {
		writing.Go(func() {
			for i := range each {
				p := generated([]string{"shop", "mail"}[w%2], 1+w*each+i, map[string]string{"writer": fmt.Sprint(w)})
				if err := s.Write(t.Context(), "", []store.Profile{p}); err != nil {
					t.Error(err)
					return
				}
				if _, err := s.Get(t.Context(), "", store.NewID(&p)); err != nil {
					t.Errorf("an acknowledged profile: %v", err)
				}
			}
		})
	}
	stop := make(chan struct{})
	for _, r := range []*Store{s, other} {
		reading.Go(func() {
			last := 0
			for {
				_, stats, err := r.Merge(t.Context(), store.Query{Kind: "cpu"})
				if err != nil {
					t.Error(err)
					return
				}
				if stats.Profiles < last {
					t.Errorf("%d profiles after %d", stats.Profiles, last)
				}
				last = stats.Profiles
				select {
				case <-stop:
					return
				default:
				}
			}
		})
	}
	writing.Wait()
	close(stop)
	reading.Wait()
	clean(t, s, 1+writers*each)
	var chunks int
	if err := other.read.QueryRow("SELECT count(*) FROM chunk").Scan(&chunks); err != nil || chunks > 2*maxSmall {
		t.Errorf("%d chunks, %v: they are not joined", chunks, err)
	}
}

func TestWriteCanceled(t *testing.T) {
	s := openTest(t, t.TempDir(), Options{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Write(ctx, "", []store.Profile{generated("shop", 1, nil)}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want canceled", err)
	}
	if all, err := s.Profiles(t.Context(), store.Query{}, 0); err != nil || len(all) > 0 {
		t.Errorf("%d profiles, %v", len(all), err)
	}
}

func TestResults(t *testing.T) {
	s := openTest(t, t.TempDir(), Options{})
	ctx := t.Context()
	var all []store.Result
	for n := range 4 {
		all = append(all, store.Result{
			Kind: []string{"bench", "load"}[n%2], Service: "shop", Revision: fmt.Sprint("c", n/2),
			Time: epoch.Add(time.Duration(n) * time.Hour), Document: []byte(fmt.Sprintf(`{"n": %d}`, n)),
		})
	}
	for range 2 { // again is once
		if err := s.WriteResults(ctx, "", all); err != nil {
			t.Fatal(err)
		}
	}
	for want, q := range map[string]store.ResultQuery{
		`3 2 1 0 `: {},
		`2 0 `:     {Kind: "bench"},
		`3 `:       {Kind: "load", Revision: "c1", Service: "shop"},
		`2 1 `:     {From: epoch.Add(time.Hour), To: epoch.Add(3 * time.Hour)},
		`3 2 `:     {Limit: 2},
		``:         {Tenant: "red"},
	} {
		got, err := s.Results(ctx, q)
		text := ""
		for _, r := range got {
			text += strings.Trim(string(r.Document), `{"n: }`) + " "
		}
		if err != nil || text != want {
			t.Errorf("%+v: %s, %v, want %s", q, text, err, want)
		}
	}
	var invalid *store.InvalidError
	if err := s.WriteResults(ctx, "", []store.Result{{Kind: "bench", Time: epoch}}); !errors.As(err, &invalid) {
		t.Errorf("no service: %v", err)
	}
}
