package modcopy_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/find/modcopy"
	"github.com/whet-go/whet/internal/find/modcopy/modtest"
)

// archive is a module that needs two others, of which one has a path below that of the other.
const archive = `
-- go.mod --
module example.com/m

go 1.26

require (
	example.com/a v1.0.0
	example.com/a/b v1.1.0
)
-- m.go --
package m

import (
	"example.com/a"
	"example.com/a/b"
)

// N is a number.
const N = a.N + b.N
-- proxy/example.com/a@v1.0.0/go.mod --
module example.com/a

go 1.26

require example.com/a/b v1.1.0
-- proxy/example.com/a@v1.0.0/a.go --
package a

import "example.com/a/b"

// N is a number.
const N = 1 + b.N
-- proxy/example.com/a@v1.0.0/vendor/modules.txt --
# example.com/a/b v1.0.0
-- proxy/example.com/a/b@v1.1.0/go.mod --
module example.com/a/b

go 1.26
-- proxy/example.com/a/b@v1.1.0/b.go --
package b

// N is a number.
const N = 2
`

// TestCopy copies a module from the module cache and from a vendor directory, and from a directory that replaces it.
func TestCopy(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name      string
		prepare   func(t *testing.T, m *modtest.Modules)
		vendored  bool
		directory bool
	}{
		{"cached", func(*testing.T, *modtest.Modules) {}, false, false},
		{"vendored", func(t *testing.T, m *modtest.Modules) { m.Go(t, "mod", "vendor") }, true, false},
		{"replaced", func(t *testing.T, m *modtest.Modules) {
			if err := os.CopyFS(filepath.Join(m.Dir, "..", "mine"), os.DirFS(m.Source("example.com/a@v1.0.0"))); err != nil {
				t.Fatal(err)
			}
			m.Go(t, "mod", "edit", "-replace=example.com/a=../mine")
		}, false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m := modtest.Write(t, archive)
			m.Tidy(t)
			c.prepare(t, m)
			before := m.State(t)
			d, err := modcopy.Of(t.Context(), modcopy.Options{Dir: m.Dir, Env: m.Env}, "example.com/a")
			if err != nil || d.Vendored != c.vendored || d.Replaced != c.directory {
				t.Fatalf("%+v %v", d, err)
			}
			dir := filepath.Join(t.TempDir(), "copy")
			if err := d.Copy(t.Context(), dir, []string{"example.com/a"}); err != nil {
				t.Fatal(err)
			}
			if _, err := os.Stat(filepath.Join(dir, "b")); err == nil {
				t.Error("the copy has packages of another module")
			}
			if err := os.WriteFile(filepath.Join(dir, "a.go"), []byte("package a\n"), 0o600); err != nil {
				t.Errorf("the copy cannot be changed: %v", err)
			}
			if diff := cmp.Diff(before, m.State(t)); diff != "" {
				t.Errorf("the module or the module cache has changed:\n%s", diff)
			}
		})
	}
}

// TestOfUnknown says that a module is not one that is built.
func TestOfUnknown(t *testing.T) {
	t.Parallel()
	m := modtest.Write(t, archive)
	m.Tidy(t)
	_, err := modcopy.Of(t.Context(), modcopy.Options{Dir: m.Dir, Env: m.Env}, "example.com/none")
	if err == nil || !strings.Contains(err.Error(), "example.com/none") || diag.Hint(err) == "" {
		t.Errorf("%v", err)
	}
	if _, err := modcopy.Of(t.Context(), modcopy.Options{Dir: m.Dir, Env: m.Env}, "-toolexec=x"); err == nil {
		t.Error("a flag is the path of a module")
	}
}

// TestCopyBroken says why a copy does not build.
func TestCopyBroken(t *testing.T) {
	t.Parallel()
	m := modtest.Write(t, archive)
	m.Tidy(t)
	d, err := modcopy.Of(t.Context(), modcopy.Options{Dir: m.Dir, Env: m.Env}, "example.com/a")
	if err != nil {
		t.Fatal(err)
	}
	err = d.Copy(t.Context(), filepath.Join(t.TempDir(), "copy"), []string{"example.com/a/none"})
	if err == nil || !strings.Contains(err.Error(), "build example.com/a@v1.0.0 alone: ") || diag.Hint(err) == "" {
		t.Errorf("%v", err)
	}
}

// TestFlags leaves out what is about the go.mod of the using module.
func TestFlags(t *testing.T) {
	t.Parallel()
	m := modtest.Write(t, archive)
	m.Tidy(t)
	o := modcopy.Options{Dir: m.Dir, Env: m.Env, Flags: []string{"-tags=x", "-mod=readonly", "--modfile=go.mod"}}
	d, err := modcopy.Of(t.Context(), o, "example.com/a")
	if err != nil {
		t.Fatal(err)
	}
	if got := d.Flags(); len(got) != 1 || got[0] != "-tags=x" {
		t.Errorf("%v", got)
	}
}
