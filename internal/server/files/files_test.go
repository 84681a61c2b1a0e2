package files

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/whet-go/whet/recording"
)

func write(t *testing.T, dir string, contents map[string]string) {
	t.Helper()
	for name, text := range contents {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func open(t *testing.T, args ...string) *Set {
	t.Helper()
	s, err := Open(args)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

const zip = "PK\x03\x04rest"

func TestList(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"a.whet": zip, "sub/b.whet": zip, "cpu.pb.gz": "\x1f\x8bx", "trace.out": "go 1.23 trace\x00\x00\x00",
		"load.json": `{"schema": "whet.load/3"}`, "found.json": `{"schema": "whet.find/2"}`, "bench.txt": "goos: linux\n",
		"run.json":   `{"schema": "whet.bench-run/1"}`,
		"proof.json": `{"schema":"whet.prove/1"}`, "fixes.json": `{"schema": "whet.fix/2"}`,
		// None of these is shown.
		"other.json": "{}", "archive.tar.gz": "\x1f\x8bx", "text.txt": "hello", "x.zip": zip, ".hidden/c.whet": zip,
		"node_modules/d.whet": zip, "empty.whet": "", "main.go": "package main",
	})
	list, complete := open(t, dir).List()
	got := map[string]Kind{}
	for _, f := range list {
		got[f.Name] = f.Kind
	}
	want := map[string]Kind{
		"a.whet": Recording, "sub/b.whet": Recording, "cpu.pb.gz": Profile, "trace.out": Trace, "load.json": Load,
		"found.json": Findings, "bench.txt": Bench, "run.json": Bench, "proof.json": Proof, "fixes.json": Fixes,
	}
	if !complete || len(got) != len(want) {
		t.Errorf("%v, want %v", got, want)
	}
	for name, kind := range want {
		if got[name] != kind {
			t.Errorf("%s: %q, want %q", name, got[name], kind)
		}
	}
}

// TestNewestFirst sorts recordings by when they began: a copy is newer than what it has. A recording
// whose index is gone is read only in part.
func TestNewestFirst(t *testing.T) {
	dir := t.TempDir()
	began := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	record := func(name string, created, modified time.Time) {
		path := filepath.Join(dir, name)
		w, err := recording.Create(path, recording.Meta{Created: created})
		if err == nil {
			err = w.Close(recording.Meta{Created: created})
		}
		if err == nil {
			err = os.Chtimes(path, modified, modified)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	record("old-copied-late.whet", began.Add(-time.Hour), began.Add(3*time.Hour))
	record("new.whet", began, began.Add(time.Hour))
	write(t, dir, map[string]string{"cpu.pb.gz": "\x1f\x8bx", "cut.whet": zip})
	for name, at := range map[string]time.Time{
		"cpu.pb.gz": began.Add(-30 * time.Minute), "cut.whet": began.Add(-2 * time.Hour),
	} {
		if err := os.Chtimes(filepath.Join(dir, name), at, at); err != nil {
			t.Fatal(err)
		}
	}
	list, _ := open(t, dir).List()
	var names []string
	for _, f := range list {
		names = append(names, f.Name)
	}
	want := []string{"new.whet", "cpu.pb.gz", "old-copied-late.whet", "cut.whet"}
	if !slices.Equal(names, want) {
		t.Errorf("%v, want %v", names, want)
	}
	if !list[0].Created.Equal(began) || !list[1].Created.IsZero() {
		t.Errorf("created %v and %v, want %v and none", list[0].Created, list[1].Created, began)
	}
	large := &limited{zeros{}, 2 * maxRead}
	if at := createdIn(large, 1<<40); !at.IsZero() || large.left < maxRead {
		t.Errorf("%v after %d bytes", at, 2*maxRead-large.left)
	}
}

// zeros is a file that has no end.
type zeros struct{}

func (zeros) ReadAt(p []byte, off int64) (int, error) {
	clear(p)
	if off == 0 {
		copy(p, zip)
	}
	return len(p), nil
}

// TestRoots names several directories and a file; what is next to the file is not shown.
func TestRoots(t *testing.T) {
	one, two := filepath.Join(t.TempDir(), "runs"), filepath.Join(t.TempDir(), "runs")
	write(t, one, map[string]string{"a.whet": zip})
	write(t, two, map[string]string{"a.whet": zip})
	single := t.TempDir()
	write(t, single, map[string]string{"only.whet": zip, "secret.whet": zip})
	s := open(t, one, two, filepath.Join(single, "only.whet"))
	list, _ := s.List()
	if len(list) != 3 {
		t.Errorf("%+v", list)
	}
	for name, want := range map[string]string{
		"runs/a.whet": filepath.Join(one, "a.whet"), "runs-2/a.whet": filepath.Join(two, "a.whet"),
		"only.whet":   filepath.Join(single, "only.whet"),
		"secret.whet": "", "a.whet": "", "runs/../runs/a.whet": "", "": "", ".": "", "runs/": "", "../secret.whet": "",
	} {
		path, err := s.Path(name)
		if path != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v", name, path, err)
		}
	}
	if _, err := s.OpenFile(filepath.Join(single, "secret.whet")); err == nil {
		t.Error("a file next to the named one was opened")
	}
	if f, err := s.OpenFile(filepath.Join(two, "a.whet")); err != nil {
		t.Error(err)
	} else {
		_ = f.Close()
	}
	if got := s.Plain("read " + filepath.Join(one, "a.whet") + ": damaged"); got != "read a.whet: damaged" {
		t.Errorf("%q", got)
	}
}

// TestLinks follows links within a root only.
func TestLinks(t *testing.T) {
	outside, dir := t.TempDir(), t.TempDir()
	write(t, outside, map[string]string{"secret.whet": zip})
	write(t, dir, map[string]string{"a.whet": zip})
	if err := os.Symlink(filepath.Join(outside, "secret.whet"), filepath.Join(dir, "link.whet")); err != nil {
		t.Skip(err)
	}
	s := open(t, dir)
	if _, err := s.Path("link.whet"); err == nil {
		t.Error("a link that leads outside has a path")
	}
	if _, err := s.OpenFile(filepath.Join(dir, "link.whet")); err == nil {
		t.Error("a link that leads outside was opened")
	}
}

func TestSource(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"pkg/a.go": "package pkg", "go.mod": "module example.com/m", "a.whet": zip})
	s := open(t, dir)
	for file, want := range map[string]bool{
		filepath.Join(dir, "pkg/a.go"): true, "example.com/m/pkg/a.go": true, "/build/m/pkg/a.go": true,
		"/build/a.go": false, "/etc/passwd": false, filepath.Join(dir, "go.mod"): false, "../../pkg/a.go": true, "": false,
	} {
		if _, _, ok := s.Source(file, "example.com/m"); ok != want {
			t.Errorf("%q: %v", file, ok)
		}
	}
}

// TestFetched has files that are written when they are needed, once while they are kept.
func TestFetched(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"a.whet": zip})
	s := open(t, dir)
	var fetched []string
	err := s.AddFetched("stored", 2, func(name string, w io.Writer) error {
		fetched = append(fetched, name)
		_, err := io.WriteString(w, zip)
		if name == "bad.whet" {
			err = errors.New("not today")
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"1.whet", "2.whet", "1.whet", "3.whet", "1.whet", "2.whet"} {
		path, err := s.Path("stored/" + name)
		if err != nil {
			t.Fatal(err)
		}
		f, err := s.OpenFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if data, err := io.ReadAll(f); err != nil || string(data) != zip {
			t.Errorf("%s: %q, %v", name, data, err)
		}
		_ = f.Close()
	}
	if got := strings.Join(fetched, " "); got != "1.whet 2.whet 3.whet 2.whet" {
		t.Errorf("fetched %s", got)
	}
	list, _ := s.List()
	var names []string
	for _, f := range list {
		names = append(names, f.Name)
	}
	slices.Sort(names)
	if got := strings.Join(names, " "); got != "a.whet stored/1.whet stored/2.whet" {
		t.Errorf("files %s", got)
	}
	_, err = s.Path("stored/bad.whet")
	if err == nil || !strings.Contains(err.Error(), "open stored/bad.whet: not today") {
		t.Errorf("an error: %v", err)
	}
	for _, name := range []string{"stored/../a.whet", "stored/sub/1.whet", "stored/x", "stored/.whet", "stored/"} {
		if path, err := s.Path(name); err == nil {
			t.Errorf("%s: %s", name, path)
		}
	}
	if len(fetched) != 5 {
		t.Errorf("fetched %q", fetched)
	}
	// Files that are dropped have their own directory.
	if name, err := s.Create("1.whet", strings.NewReader(zip)); err != nil || name != "dropped/1.whet" {
		t.Errorf("dropped %s, %v", name, err)
	}
}

func TestCreate(t *testing.T) {
	s := open(t, t.TempDir())
	name, err := s.Create(`C:\runs\a.whet`, strings.NewReader(zip))
	if err != nil || name != "dropped/a.whet" {
		t.Errorf("%q, %v", name, err)
	}
	if _, err := s.Create("a.exe", strings.NewReader(zip)); err == nil {
		t.Error("a program was added")
	}
	if _, err := s.Create("b.whet", strings.NewReader("text")); err == nil {
		t.Error("text was added")
	}
	if list, _ := s.List(); len(list) != 1 || !list[0].Dropped {
		t.Errorf("%+v", list)
	}
	path, name, err := s.RecordPath("recording", time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	if err != nil || name != "recording-20260102-030405.whet" || filepath.Base(path) != name {
		t.Errorf("%q %q %v", path, name, err)
	}
}
