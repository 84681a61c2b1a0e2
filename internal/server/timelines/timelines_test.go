package timelines

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/trace"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/whet-go/whet/internal/leaktest"
	"github.com/whet-go/whet/internal/server/files"
	"github.com/whet-go/whet/internal/server/flight"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// fixture returns a cache of a directory with traces, and the directory. Indexes are kept in one of the test.
func fixture(t *testing.T, names ...string) (*Cache, string) {
	t.Helper()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	var out bytes.Buffer
	if err := trace.Start(&out); err != nil {
		t.Fatal(err)
	}
	trace.Log(t.Context(), "a", "b")
	trace.Stop()
	dir := t.TempDir()
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(dir, name), out.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	set, err := files.Open([]string{dir})
	if err != nil {
		t.Fatal(err)
	}
	c := New(set, nil)
	t.Cleanup(func() {
		if err := errors.Join(c.Close(), set.Close()); err != nil {
			t.Error(err)
		}
	})
	return c, dir
}

// open opens a timeline that is released at the end of the test.
func open(t *testing.T, c *Cache, name string) *Timeline {
	t.Helper()
	x, release, err := c.Open(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(release)
	return x
}

// TestOpen has requests for a trace get one timeline, also at the same time, until the file changes.
func TestOpen(t *testing.T) {
	c, dir := fixture(t, "a.out")
	var all [8]*Timeline
	var wg sync.WaitGroup
	for i := range all {
		wg.Go(func() {
			x, release, err := c.Open(t.Context(), "a.out")
			if err != nil {
				t.Error(err)
				return
			}
			defer release()
			all[i] = x
		})
	}
	wg.Wait()
	for _, x := range all {
		if x != all[0] || x == nil || x.Trace().Name != "a.out" || x.Trace().Duration <= 0 {
			t.Fatalf("%v", all)
		}
	}
	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(filepath.Join(dir, "a.out"), later, later); err != nil {
		t.Fatal(err)
	}
	if open(t, c, "a.out") == all[0] {
		t.Error("the file has changed, and the timeline has not")
	}
	if _, _, err := c.Open(t.Context(), "none.out"); err == nil {
		t.Error("a file that does not exist was opened")
	}
}

// TestEvict has a timeline in use stay open although others are opened, and be closed with its last user.
func TestEvict(t *testing.T) {
	var names []string
	for i := range maxKept + 1 {
		names = append(names, fmt.Sprintf("%d.out", i))
	}
	c, _ := fixture(t, names...)
	first, release, err := c.Open(t.Context(), names[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names[1:] {
		open(t, c, name)
	}
	if !first.out || len(c.kept) != maxKept {
		t.Errorf("%d are kept, the first is out: %v", len(c.kept), first.out)
	}
	if _, err := first.Utilization(t.Context()); err != nil {
		t.Error(err)
	}
	release()
	release() // is once
	if first.users != 0 || first.trace.Close() == nil {
		t.Errorf("%d users, and it is not closed", first.users)
	}
}

// TestSideBySide has a trace be indexed while others are, up to a number, and one more wait, until no request wants it.
func TestSideBySide(t *testing.T) {
	c, _ := fixture(t, "a.out", "b.out")
	for range maxIndexing - 1 {
		c.indexing <- struct{}{}
	}
	open(t, c, "a.out")
	c.indexing <- struct{}{} // all are busy
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	said := make(chan string, 1)
	ended := make(chan error)
	go func() {
		_, _, err := c.Open(flight.WithReport(ctx, func(p flight.Progress) { said <- p.Text }), "b.out")
		ended <- err
	}()
	if text := <-said; !strings.Contains(text, "waiting") {
		t.Errorf("%q", text)
	}
	open(t, c, "a.out") // is open
	leave()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	c.work.Wait()
	<-c.indexing
	open(t, c, "b.out")
}
