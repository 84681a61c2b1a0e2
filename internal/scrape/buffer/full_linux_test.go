package buffer

import (
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/whet-go/whet/store"
)

// TestDiskFull limits what the process may write, so that a file is written in part, as on a full disk:
// the batch is refused as a whole, and what was there before stays.
func TestDiskFull(t *testing.T) {
	dir := t.TempDir()
	b := open(t, dir, Options{})
	if err := b.Add("", []store.Profile{numbered(1)}); err != nil {
		t.Fatal(err)
	}
	var old syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &old); err != nil {
		t.Fatal(err)
	}
	limit := func(bytes uint64) {
		t.Helper()
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: bytes, Max: old.Max}); err != nil {
			t.Fatal(err)
		}
	}
	limit(300)
	err := b.Add("", []store.Profile{numbered(2)})
	limit(old.Cur)
	if err == nil {
		t.Fatal("there is no error, but the batch cannot be on the disk")
	}
	t.Log(err)
	if left, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(left) != 2 {
		t.Errorf("%q, %v: want the lock and one batch", left, err)
	}
	if err := b.Add("", []store.Profile{numbered(3)}); err != nil {
		t.Fatal(err)
	}
	if got := numbers(drain(t, b)); !slices.Equal(got, []int{1, 3}) {
		t.Errorf("%v", got)
	}
}
