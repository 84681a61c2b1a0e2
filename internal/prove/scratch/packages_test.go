package scratch

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// TestAffected expects the packages that a change can break, and only those.
func TestAffected(t *testing.T) {
	m := &Module{Dir: t.TempDir()}
	for _, f := range txtar.Parse([]byte(`
-- go.mod --
module example.com/m

go 1.26
-- m.go --
package m

import _ "example.com/m/a"
-- a/a.go --
package a

import _ "example.com/m/b"
-- b/b.go --
package b
-- tested/t.go --
package tested
-- tested/t_test.go --
package tested

import _ "example.com/m/a"
-- outside/o.go --
package outside
-- outside/o_test.go --
package outside_test

import _ "example.com/m/a"
-- alone/alone.go --
package alone
-- onlytests/o_test.go --
package onlytests

import "testing"

func TestNothing(*testing.T) {}
-- constrained/c.go --
//go:build never

package constrained
`)).Files {
		name := filepath.Join(m.Dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	g, err := m.Packages(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(g.All, "example.com/m/onlytests") || len(g.Broken) > 0 {
		t.Errorf("the packages are %q, and %v do not build", g.All, g.Broken)
	}
	// go build refuses a package that has only tests if it is named.
	if err := m.Build(t.Context(), nil, g.Buildable(g.All)); err != nil {
		t.Errorf("build: %v", err)
	}
	if err := m.Build(t.Context(), nil, g.Buildable([]string{"example.com/m/onlytests"})); err != nil {
		t.Errorf("build only tests: %v", err)
	}
	for _, test := range []struct{ changed, want string }{
		{"b", "m a b outside tested"},
		{"a", "m a outside tested"},
		{".", "m"},
		{"alone", "alone"},
		{"alone tested", "alone tested"},
	} {
		got, err := g.Affected(strings.Fields(test.changed))
		if err != nil {
			t.Fatal(err)
		}
		for i := range got {
			got[i] = strings.TrimPrefix(strings.TrimPrefix(got[i], "example.com/"), "m/")
		}
		slices.Sort(got)
		want := strings.Fields(test.want)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", test.changed, got, want)
		}
	}
	if _, err := g.Affected([]string{"constrained"}); err == nil {
		t.Error("a directory that is not built has packages")
	}
}
