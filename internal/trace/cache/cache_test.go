package cache_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/trace"
	"strings"
	"testing"
	"time"

	"github.com/whet-go/whet/internal/trace/cache"
	"github.com/whet-go/whet/trace/index"
)

func TestOpen(t *testing.T) {
	t.Parallel()
	var data bytes.Buffer
	if err := trace.Start(&data); err != nil {
		t.Fatal(err)
	}
	trace.Stop()
	dir := filepath.Join(t.TempDir(), "traces")
	read := 0
	source := cache.Source{Place: "/a/trace.out", State: "1", Open: func() (io.ReadCloser, error) {
		read++
		return io.NopCloser(bytes.NewReader(data.Bytes())), nil
	}}
	open := func(wantBuilt bool) {
		t.Helper()
		x, built, err := cache.Open(t.Context(), source, dir, index.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if built != wantBuilt || x.Info.Source != source.State || x.Info.Events == 0 {
			t.Errorf("built %v, %+v", built, x.Info)
		}
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	}
	open(true)
	open(false)
	source.State = "2" // another file in the same place
	open(true)
	open(false)
	names, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(names) != 1 {
		t.Fatalf("%v, %v", names, err)
	}
	whole, err := os.ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{0, len(whole) / 2} { // as a killed writer would leave it, if it had the final name
		if err := os.WriteFile(names[0], whole[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		open(true)
	}

	// A source that cannot be read leaves no files.
	broken := errors.New("unplugged")
	source.Place, source.Open = "/b", func() (io.ReadCloser, error) { return nil, broken }
	if _, _, err := cache.Open(t.Context(), source, dir, index.Options{}); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
	source.Open = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader([]byte("go 1.26 trace"))), nil }
	if _, _, err := cache.Open(t.Context(), source, dir, index.Options{}); err == nil {
		t.Error("half a head is a trace")
	}
	if names, err := os.ReadDir(dir); err != nil || len(names) != 1 {
		t.Errorf("left behind: %v, %v", names, err)
	}
}

// TestOld removes the least recently used indexes.
func TestOld(t *testing.T) {
	t.Parallel()
	var data bytes.Buffer
	dir := t.TempDir()
	for i := range 60 {
		name := filepath.Join(dir, fmt.Sprintf("%024d.index", i))
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		used := time.Now().Add(-time.Duration(60-i) * time.Hour)
		if err := os.Chtimes(name, used, used); err != nil {
			t.Fatal(err)
		}
	}
	// A file that is being built, and one left by a killed process.
	building, left := filepath.Join(dir, strings.ReplaceAll(index.PartialPattern("1.index"), "*", "123")),
		filepath.Join(dir, strings.ReplaceAll(index.PartialPattern("2.index"), "*", "456"))
	for _, name := range []string{building, left} {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	long := time.Now().Add(-2 * time.Hour)
	if err := os.Chtimes(left, long, long); err != nil {
		t.Fatal(err)
	}
	notes := filepath.Join(dir, "notes.txt")
	if err := os.WriteFile(notes, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open("../testdata/go1.26.trace")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := data.ReadFrom(file); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	x, _, err := cache.Open(t.Context(),
		cache.Source{Place: "/c", State: "1", Open: func() (io.ReadCloser, error) { return io.NopCloser(&data), nil }},
		dir, index.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := x.Close(); err != nil {
		t.Error(err)
	}
	kept, err := filepath.Glob(filepath.Join(dir, "*.index"))
	if err != nil || len(kept) != 51 {
		t.Errorf("%d indexes are left", len(kept))
	}
	if _, err := os.Stat(filepath.Join(dir, fmt.Sprintf("%024d.index", 9))); err == nil {
		t.Error("an old one is left")
	}
	if _, err := os.Stat(filepath.Join(dir, fmt.Sprintf("%024d.index", 59))); err != nil {
		t.Error("the newest one was removed")
	}
	if _, err := os.Stat(building); err != nil {
		t.Error("an index that is being built was removed")
	}
	if _, err := os.Stat(left); err == nil {
		t.Error("what a killed process has left is still there")
	}
	if _, err := os.Stat(notes); err != nil {
		t.Error("a file that is not an index was removed")
	}
}

// TestUnusable checks that an unusable directory is reported before the source is read.
func TestUnusable(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	source := cache.Source{Place: "/a", Open: func() (io.ReadCloser, error) {
		t.Error("the source is read")
		return nil, io.EOF
	}}
	for _, dir := range []string{file, filepath.Join(file, "traces")} {
		if _, _, err := cache.Open(t.Context(), source, dir, index.Options{}); !errors.Is(err, cache.ErrDir) {
			t.Errorf("%s: error %v", dir, err)
		}
	}
}
