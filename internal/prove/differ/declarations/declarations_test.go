package declarations_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/whet-go/whet/internal/find/driver"
	"github.com/whet-go/whet/internal/prove/differ/declarations"
)

func load(t *testing.T, text string) *packages.Package {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.com/p\n\ngo 1.26\n", "p.go": text} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	pkgs, err := driver.Load(t.Context(), driver.Options{Dir: dir}, ".")
	if err != nil || len(pkgs) != 1 || len(pkgs[0].Errors) > 0 {
		t.Fatal(pkgs, err)
	}
	return pkgs[0]
}

// TestChanged returns what another version declares differently, and what uses it.
func TestChanged(t *testing.T) {
	const before = `package p

const (
	First = iota
	Second
)

type T struct{ a, b int }

func (t *T) Sum() int { return t.a + t.b + Second }

func Same() int { return First }

func Gone() {}
`
	const after = `package p

const (
	First = iota
	Between
	Second
)

type T struct {
	a int
	b int64
}

func (t *T) Sum() int { return t.a + int(t.b) + Second }

func Same() int { return First }
`
	old, now := load(t, before), load(t, after)
	var names, users []string
	graph := declarations.NewGraph(old)
	for _, obj := range declarations.Changed(old, now) {
		names = append(names, obj.Name())
		for _, user := range graph.Users[obj] {
			users = append(users, obj.Name()+" in "+user.Name())
		}
	}
	if want := []string{"Gone", "Second", "Sum", "b"}; !slices.Equal(names, want) {
		t.Errorf("changed: %q, want %q", names, want)
	}
	if want := []string{"Second in Sum", "b in Sum"}; !slices.Equal(users, want) {
		t.Errorf("users: %q, want %q", users, want)
	}
	hidden := declarations.Hidden(old.Types, now.Types, "example.com/p")
	if len(hidden) != 1 || hidden["example.com/p.T"] != " b " && hidden["example.com/p.T"] != " b b " {
		t.Errorf("hidden: %q", hidden)
	}
}
