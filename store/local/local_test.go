package local

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/store/packed"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/store"
	"github.com/whet-go/whet/store/storetest"
)

// TestStore runs the tests that all stores pass.
func TestStore(t *testing.T) {
	dir := t.TempDir()
	storetest.Run(t, storetest.Store{Open: func(tb testing.TB, name string, o storetest.Options) storetest.Maintained {
		return openTest(tb, filepath.Join(dir, name), Options{Limits: o.Limits, Retention: o.Retention, Now: o.Now})
	}})
}

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

func TestOpenErrors(t *testing.T) {
	dir := t.TempDir()
	if _, err := Open(filepath.Join(dir, "none"), Options{}); err == nil || diag.Hint(err) == "" {
		t.Errorf("no store: %v", err)
	}
	s := openTest(t, dir, Options{})
	storetest.Write(t, s, "", storetest.Generated("shop", 1, nil))
	if _, err := Open(dir, Options{}); err == nil || !strings.Contains(err.Error(), "another process writes to it") {
		t.Errorf("a second writer: %v", err)
	}
	r := openTest(t, dir, Options{ReadOnly: true})
	batch := []store.Profile{storetest.Generated("shop", 2, nil)}
	if err := r.Write(t.Context(), "", batch); !errors.Is(err, errReadOnly) {
		t.Errorf("writing read-only: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Write(t.Context(), "", []store.Profile{storetest.Generated("shop", 3, nil)}); !errors.Is(err, ErrClosed) {
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
	change("user_version=3")
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
	storetest.Write(t, s, "", storetest.Generated("shop", 0, nil))
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
		batch := []store.Profile{storetest.Generated("shop", n, nil), storetest.Generated(fmt.Sprint("new", n), n, nil)}
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
	storetest.Clean(t, s, stored)
	pages("1000000")
	for n := range 40 {
		storetest.Write(t, s, "", storetest.Generated("shop", n, nil), storetest.Generated(fmt.Sprint("new", n), n, nil))
	}
	storetest.Clean(t, s, 80)
	got, _, err := s.Merge(ctx, store.Query{Kind: "cpu", Matchers: storetest.Matchers(t, "service=shop")})
	if err != nil {
		t.Fatal(err)
	}
	var want []*profile.Profile
	for n := range 40 {
		if p := storetest.Generated("shop", n, nil); p.Kind == "cpu" {
			want = append(want, p.Data)
		}
	}
	if merged, err := profile.Merge(want...); err != nil || storetest.ContentOf(merged) != storetest.ContentOf(got) {
		t.Errorf("after failures the profiles differ: %v", err)
	}
}

func TestRetention(t *testing.T) {
	dir := t.TempDir()
	s := openTest(t, dir, Options{})
	for n := range 100 {
		storetest.Write(t, s, "", storetest.Generated("shop", n, map[string]string{"host": fmt.Sprint(n / 50)}))
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	now := storetest.Epoch().Add(1000 * time.Hour) // a wrong clock deletes nothing that is recent in the store
	s = openTest(t, dir, Options{Now: func() time.Time { return now }, Retention: store.Retention{Age: 29 * time.Minute}})
	if err := s.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	metas, err := s.Profiles(t.Context(), store.Query{}, 0)
	if err != nil || len(metas) != 30 || !metas[29].Start.Equal(storetest.Epoch().Add(70*time.Minute)) {
		t.Fatalf("%d profiles: %v", len(metas), err)
	}
	if series, err := s.Series(t.Context(), store.Query{}); err != nil || len(series) != 2 {
		t.Errorf("series %+v, %v", series, err)
	}
	storetest.Clean(t, s, 30)
	stats, err := s.Stats(t.Context())
	if err != nil || len(stats.Services) != 1 || stats.Services[0].Profiles != 30 || stats.Services[0].Symbols == 0 ||
		stats.Free > 1<<20 {
		t.Errorf("stats %+v, %v", stats, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}

	limit := int64(256 << 10)
	s = openTest(t, dir, Options{Retention: store.Retention{Size: limit}})
	for n := range 400 {
		storetest.Write(t, s, "", storetest.Generated("shop", n, map[string]string{"n": fmt.Sprint(n)}))
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
	storetest.Clean(t, s, stats.Services[0].Profiles)
}

func TestBackup(t *testing.T) {
	dir := t.TempDir()
	s := openTest(t, filepath.Join(dir, "store"), Options{})
	for n := range 20 {
		storetest.Write(t, s, "", storetest.Generated("shop", n, nil))
	}
	var writing sync.WaitGroup
	writing.Go(func() {
		for n := 20; n < 60; n++ {
			batch := []store.Profile{storetest.Generated("shop", n, nil), storetest.Generated("mail", n, nil)}
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
	storetest.Clean(t, restored, r.Profiles)
	storetest.Write(t, restored, "", storetest.Generated("shop", 1000, nil))
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
		storetest.Write(t, s, "", storetest.Generated([]string{"shop", "mail"}[n%2], n, nil))
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
	storetest.Write(t, s, "", storetest.Generated("mail", 100, nil))
	q := store.Query{Kind: "cpu", Matchers: storetest.Matchers(t, "service=mail")}
	q.From = storetest.Epoch().Add(99 * time.Minute)
	if _, stats, err := s.Merge(t.Context(), q); err != nil || stats.Profiles != 1 {
		t.Errorf("%+v, %v", stats, err)
	}
	if _, _, err := s.Merge(t.Context(), store.Query{Kind: "cpu"}); !errors.Is(err, packed.ErrDamaged) {
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
	t.Run("dictionaries in memory", func(t *testing.T) { testConcurrent(t, 0) })
	t.Run("no memory for dictionaries", func(t *testing.T) { testConcurrent(t, 1) })
}

func testConcurrent(t *testing.T, memory int64) {
	t.Helper()
	dir := t.TempDir()
	s := openTest(t, dir, Options{Memory: memory})
	storetest.Write(t, s, "", storetest.Generated("shop", 0, nil))
	other := openTest(t, dir, Options{ReadOnly: true, Memory: memory})
	const writers, each = 4, 40
	var writing, reading sync.WaitGroup
	for w := range writers {
		writing.Go(func() {
			for i := range each {
				p := storetest.Generated([]string{"shop", "mail"}[w%2], 1+w*each+i, map[string]string{"writer": fmt.Sprint(w)})
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
	storetest.Clean(t, s, 1+writers*each)
	var chunks int
	if err := other.read.QueryRow("SELECT count(*) FROM chunk").Scan(&chunks); err != nil || chunks > 2*maxSmall {
		t.Errorf("%d chunks, %v: they are not joined", chunks, err)
	}
}
