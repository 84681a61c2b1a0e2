package input_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/whet-go/whet/input"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/load"
	"github.com/whet-go/whet/recording"
)

func TestSplitPackages(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("weekday", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir("cmd.out", 0o700); err != nil {
		t.Fatal(err)
	}
	profiles, packages := input.SplitPackages([]string{
		"./first", "weekday", "missing.pb.gz", "http://localhost:6060", "-", "./cmd/server", "./...", "cmd.out", "x.out/...",
	})
	want := []string{"./first", "weekday", "missing.pb.gz", "http://localhost:6060", "-"}
	if !slices.Equal(profiles, want) {
		t.Errorf("profiles %q, want %q", profiles, want)
	}
	if want := []string{"./cmd/server", "./...", "cmd.out", "x.out/..."}; !slices.Equal(packages, want) {
		t.Errorf("packages %q, want %q", packages, want)
	}
}

func TestNewest(t *testing.T) {
	dir := t.TempDir()
	if got := input.Newest(dir); got != "" {
		t.Errorf("%q in an empty directory", got)
	}
	now := time.Now()
	for name, age := range map[string]time.Duration{
		"old.whet": time.Hour, "new.pb.gz": time.Minute, "newer.txt": 0, "older.prof": 2 * time.Hour,
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, time.Time{}, now.Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := input.Newest(dir), filepath.Join(dir, "new.pb.gz"); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestLoad(t *testing.T) {
	r, err := input.Load("-", strings.NewReader(`{"schema": "`+load.Schema+`", "requests": 7}`))
	if err != nil || r.Requests != 7 {
		t.Fatalf("%+v, %v", r, err)
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "load.whet")
	w, err := recording.Create(file, recording.Meta{})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.AddJSON(recording.LoadPart, r), w.Close(recording.Meta{})); err != nil {
		t.Fatal(err)
	}
	if r, err = input.Load(file, nil); err != nil || r.Requests != 7 || r.Schema != load.Schema {
		t.Errorf("of a recording: %+v, %v", r, err)
	}
	if r, err = input.Load("../recording/testdata/slug.whet", nil); err != nil || r.Schema != load.Schema ||
		len(r.Warnings) == 0 {
		t.Errorf("of a recording of version 1: %+v, %v", r, err)
	}
	for text, want := range map[string]string{
		`{"schema": "whet.find/2"}`: `unknown schema "whet.find/2" (want "` + load.Schema + `")`,
		"requests: 7":               "not the JSON of a load result",
	} {
		if _, err := input.Load("-", strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) ||
			!strings.Contains(diag.Hint(err), "whet load -o FILE") {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	if _, err := input.Load(filepath.Join(dir, "none"), nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v for a file that does not exist", err)
	}
}
