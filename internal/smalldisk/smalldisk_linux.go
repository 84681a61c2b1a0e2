package smalldisk

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// A Disk is a directory that holds a limited number of bytes.
type Disk struct {
	Dir  string
	size int
}

// New returns an empty disk of a number of bytes, which is a multiple of 4096. It is there until the test ends, and is
// removed after what the test registers later is. A test that may not mount is skipped.
func New(t testing.TB, size int) Disk {
	t.Helper()
	d := Disk{Dir: filepath.Join(t.TempDir(), "disk"), size: size}
	if err := os.Mkdir(d.Dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("tmpfs", d.Dir, "tmpfs", 0, "size="+strconv.Itoa(size)); err != nil {
		t.Skipf("mounting a small file system: %v (run as root)", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(d.Dir, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return d
}

// Fill takes all the space that is left. The function that it returns gives it back.
func (d Disk) Fill(t testing.TB) (free func()) {
	t.Helper()
	filler := filepath.Join(d.Dir, "filler")
	if err := os.WriteFile(filler, make([]byte, d.size+1), 0o600); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("filling the disk: %v", err)
	}
	return func() {
		if err := os.Remove(filler); err != nil {
			t.Fatal(err)
		}
	}
}
