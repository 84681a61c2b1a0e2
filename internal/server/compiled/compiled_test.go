package compiled

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/whet-go/whet/find/lines"
	"github.com/whet-go/whet/internal/diag"
)

const code = `package a

// Sum adds up, and keeps where.
func Sum(list []int, n int) *int {
	sum := 0
	for i := range n {
		sum += list[i]
	}
	return &sum
}
`

// module is a module with a file a/a.go.
func module(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.com/m\n\ngo 1.24\n", "a/a.go": code} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// is returns a text, whatever file is wanted.
func is(text string) func(string) ([]string, string, error) {
	return func(string) ([]string, string, error) {
		return strings.Split(strings.TrimSuffix(text, "\n"), "\n"), "", nil
	}
}

// TestNotes has what escapes and which checks remain, by each name that a build may give the file.
func TestNotes(t *testing.T) {
	dir, cache := module(t), t.TempDir()
	for _, name := range []string{filepath.Join(dir, "a", "a.go"), "example.com/m/a/a.go", "/build/m/a/a.go", "a/a.go"} {
		r, err := New(dir, cache).Notes(t.Context(), name, is(code))
		if err != nil {
			t.Fatal(name, err)
		}
		kinds := map[int]lines.Kind{}
		for _, l := range r.Lines {
			kinds[l.Line] = l.Notes[0].Group
		}
		if r.File != "a/a.go" || kinds[5] != lines.Escape || kinds[7] != lines.Bounds {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// TestNone says why there are no notes. No file outside the module is read.
func TestNone(t *testing.T) {
	dir := module(t)
	outside := filepath.Join(t.TempDir(), "b.go")
	if err := os.WriteFile(outside, []byte(code), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, "a", "b.go")); err != nil {
		t.Fatal(err)
	}
	broken := module(t)
	wrong := []byte("package a\n\nvar x int = broken\n")
	if err := os.WriteFile(filepath.Join(broken, "a", "x.go"), wrong, 0o600); err != nil {
		t.Fatal(err)
	}
	missing := &diag.Error{Op: "find source", Err: fs.ErrNotExist, Hint: "record it"}
	none := func(string) ([]string, string, error) { return nil, "", missing }
	for _, test := range []struct {
		dir, file  string
		text       Text
		want, hint string
	}{
		{"", "a/a.go", is(code), "not started in a module", "--dir"},
		{t.TempDir(), "a/a.go", is(code), "go.mod", ""},
		{dir, "/x/a/a.go", is(code + "// more\n"), "a/a.go has changed", "check out"},
		{dir, "/usr/lib/go/src/fmt/print.go", is("package fmt\n"), "not in the module example.com/m", "--dir"},
		{dir, "/x/a/b.go", is(code), "not in the module", ""}, // a link
		{dir, "../../../etc/b.go", is(code), "not in the module", ""},
		{dir, "/x/go.mod", is("module example.com/m\n\ngo 1.24\n"), "not in the module", ""},
		{dir, "a/a.go", none, "find source", "record it"},
		{broken, "a/a.go", is(code), "go", ""},
	} {
		r, err := New(test.dir, t.TempDir()).Notes(t.Context(), test.file, test.text)
		if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(diag.Hint(err), test.hint) {
			t.Errorf("%s: %v, %v, hint %q", test.file, r, err, diag.Hint(err))
		}
		if test.dir != "" && strings.Contains(err.Error()+diag.Hint(err), test.dir) {
			t.Errorf("%s: the error has the directory: %v, %s", test.file, err, diag.Hint(err))
		}
	}
}

// TestInTurn has a file wait until others are compiled, or its request is gone.
func TestInTurn(t *testing.T) {
	c := New(module(t), t.TempDir())
	for range maxCompiling {
		c.compiling <- struct{}{}
	}
	ctx, stop := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer stop()
	if _, err := c.Notes(ctx, "a/a.go", is(code)); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	<-c.compiling
	if _, err := c.Notes(t.Context(), "a/a.go", is(code)); err != nil {
		t.Error(err)
	}
}
