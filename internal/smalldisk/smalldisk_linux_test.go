package smalldisk_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/whet-go/whet/internal/smalldisk"
)

func TestDisk(t *testing.T) {
	d := smalldisk.New(t, 1<<20)
	write := func(name string) error { return os.WriteFile(filepath.Join(d.Dir, name), make([]byte, 64<<10), 0o600) }
	if err := write("before"); err != nil {
		t.Fatal(err)
	}
	free := d.Fill(t)
	if err := write("full"); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("a full disk: %v", err)
	}
	free()
	if err := write("after"); err != nil {
		t.Errorf("with space again: %v", err)
	}
}
