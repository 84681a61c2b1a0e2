package tempfile

import (
	"io"
	"os"
	"runtime"
	"testing"
)

func TestNothingIsLeft(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f, err := New(dir, "x-*")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("text"); err != nil {
		t.Fatal(err)
	}
	left := func() int {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		return len(entries)
	}
	if n := left(); n != 0 && runtime.GOOS != "windows" {
		t.Errorf("%d files while it is open: a killed process leaves them", n)
	}
	data, err := io.ReadAll(io.NewSectionReader(f, 0, 100))
	if err != nil || string(data) != "text" {
		t.Errorf("%q, %v", data, err)
	}
	for range 2 {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
	if n := left(); n != 0 {
		t.Errorf("%d files are left", n)
	}
	if _, err := New(dir+"/none", "x"); err == nil {
		t.Error("no error for a directory that is not there")
	}
}
