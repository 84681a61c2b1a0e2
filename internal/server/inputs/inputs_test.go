package inputs

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"

	"github.com/whet-go/whet/input"
	"github.com/whet-go/whet/internal/server/files"
	"github.com/whet-go/whet/profile"
)

// cacheOf returns a cache of a directory with the file a.pb.gz. Opening it waits for done, or until it is canceled.
func cacheOf(t *testing.T, done <-chan struct{}, begun, canceled *int) *Cache {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.pb.gz"), []byte("\x1f\x8b"), 0o600); err != nil {
		t.Fatal(err)
	}
	set, err := files.Open([]string{dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = set.Close() }) // read-only
	c := New(set, nil)
	c.open = func(ctx context.Context, _ []string, _ input.Options) (*input.Input, error) {
		*begun++
		select {
		case <-done:
			return &input.Input{Profile: &profile.Profile{}}, nil
		case <-ctx.Done():
			*canceled++
			return nil, ctx.Err()
		}
	}
	return c
}

// TestLeave stops decoding when the last of those that wait for it has left, and not before.
func TestLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		done := make(chan struct{})
		var begun, canceled int
		c := cacheOf(t, done, &begun, &canceled)
		var leave []context.CancelFunc
		errs := make(chan error, 3)
		visit := func() {
			ctx, stop := context.WithCancel(t.Context())
			leave = append(leave, stop)
			go func() {
				_, release, err := c.Open(ctx, "a.pb.gz", "", "")
				if err == nil {
					release()
				}
				errs <- err
			}()
			synctest.Wait()
		}
		visit()
		visit()
		if begun != 1 {
			t.Fatalf("two visitors at once: opened %d times, want 1", begun)
		}
		leave[0]() // the one that decodes
		synctest.Wait()
		if canceled != 0 {
			t.Fatal("decoding ended though another visitor waits for it")
		}
		leave[1]()
		synctest.Wait()
		if canceled != 1 {
			t.Fatal("decoding goes on though no visitor waits for it")
		}
		for range 2 {
			if err := <-errs; !errors.Is(err, context.Canceled) {
				t.Errorf("a visitor that left: %v, want context.Canceled", err)
			}
		}
		// The next visitor does not get the canceled one.
		visit()
		if begun != 2 {
			t.Fatalf("a later visitor: opened %d times, want 2", begun)
		}
		close(done)
		if err := <-errs; err != nil {
			t.Errorf("a later visitor: %v", err)
		}
		leave[2]()
	})
}

// TestLeaveFirst has the first visitor leave; the second gets what the first one's request decodes.
func TestLeaveFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		done := make(chan struct{})
		var begun, canceled int
		c := cacheOf(t, done, &begun, &canceled)
		ctx, stop := context.WithCancel(t.Context())
		first, second := make(chan error, 1), make(chan error, 1)
		for _, v := range []struct {
			ctx context.Context
			err chan error
		}{{ctx, first}, {t.Context(), second}} {
			go func() {
				_, release, err := c.Open(v.ctx, "a.pb.gz", "", "")
				if err == nil {
					release()
				}
				v.err <- err
			}()
			synctest.Wait()
		}
		stop()
		synctest.Wait()
		close(done)
		if err := <-first; !errors.Is(err, context.Canceled) {
			t.Errorf("first: %v, want context.Canceled", err)
		}
		if err := <-second; err != nil {
			t.Errorf("second: %v", err)
		}
		if begun != 1 || canceled != 0 {
			t.Errorf("opened %d times and canceled %d times, want 1 and 0", begun, canceled)
		}
	})
}
