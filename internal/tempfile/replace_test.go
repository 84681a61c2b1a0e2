package tempfile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// TestReplace writes a file completely or not at all.
func TestReplace(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "result")
	text := func(s string, err error) func(io.Writer) error {
		return func(w io.Writer) error {
			_, werr := io.WriteString(w, s)
			return errors.Join(werr, err)
		}
	}
	holds := func(want string) {
		t.Helper()
		data, err := os.ReadFile(path)
		if err != nil || string(data) != want {
			t.Errorf("%q, %v, want %q", data, err, want)
		}
		if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
			t.Errorf("%d files in the directory, %v", len(entries), err)
		}
	}
	if size, err := Replace(path, text("first", nil)); err != nil || size != 5 {
		t.Errorf("%d, %v", size, err)
	}
	holds("first")
	failed := errors.New("failed")
	if _, err := Replace(path, text("half", failed)); !errors.Is(err, failed) {
		t.Errorf("%v, want %v", err, failed)
	}
	holds("first")
	if size, err := Replace(path, text("second one", nil)); err != nil || size != 10 {
		t.Errorf("%d, %v", size, err)
	}
	holds("second one")
	if _, err := Replace(filepath.Join(dir, "none", "x"), text("", nil)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v for a directory that does not exist", err)
	}
	if size, err := Replace(os.DevNull, text("gone", nil)); err != nil || size != 0 {
		t.Errorf("a device: %d, %v", size, err)
	}
	if fi, err := os.Stat(os.DevNull); err != nil || fi.Mode().IsRegular() {
		t.Errorf("the device was replaced: %v", err)
	}
}

// TestMarked checks that a file with other contents is not replaced.
func TestMarked(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"empty": "", "ours": "<!-- mark -->", "late": "0123456789mark", "other": "x",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]bool{
		"absent": true, "empty": true, "ours": true, "late": false, "other": false,
	} {
		if got, err := Marked(filepath.Join(dir, name), "mark", 10); got != want || err != nil {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	if _, err := Marked(dir, "mark", 10); !errors.Is(err, ErrDirectory) {
		t.Errorf("a directory: %v", err)
	}
}
