package syntax_test

import (
	"go/ast"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/whet-go/whet/internal/find/driver"
	"github.com/whet-go/whet/internal/find/syntax"
)

const source = `package p

import (
	"os"
	"strings"
	"sync"
)

type shared struct {
	sync.Mutex
	other sync.RWMutex
	names []string
}

var fixed, changing = "a,b", "c"

func (s *shared) loop() {
	s.Lock()
	for _, n := range s.names {
		print(n) // in the loop
	}
	s.Unlock()
	s.other.RLock()
	defer s.other.RUnlock()
	print(len(s.names)) // under other
}

func set() { changing = "d" }

func pure() []string { return strings.Split(fixed, ",") }

func reads() string { return changing }

func system() string { return os.Getenv("HOME") }

func (s *shared) closure() func() {
	for range 3 {
		return func() {
			print(1) // not in the loop
		}
	}
	return nil
}
`

// at returns the line of the source that has a text.
func at(t *testing.T, text string) syntax.Line {
	t.Helper()
	for i, l := range strings.Split(source, "\n") {
		if strings.Contains(l, text) {
			return syntax.Line{File: "p.go", Line: i + 1}
		}
	}
	t.Fatalf("no line has %q", text)
	return syntax.Line{}
}

func TestQueries(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"p.go": source, "go.mod": "module example.com/p\n\ngo 1.26.0\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	pkgs, err := driver.Load(t.Context(), driver.Options{Dir: dir}, ".")
	if err != nil {
		t.Fatal(err)
	}
	c := syntax.New(pkgs, func(file string) (string, bool) { return filepath.Base(file), filepath.Base(file) == "p.go" })

	if _, loop := c.Loop(at(t, "// in the loop")); loop == nil {
		t.Error("the line is in a loop")
	}
	if _, loop := c.Loop(at(t, "// not in the loop")); loop != nil {
		t.Error("the line is in a function literal, which runs later")
	}
	if f := c.FunctionAt(at(t, "// under other")); f == nil || f.Decl.Name.Name != "loop" {
		t.Errorf("the function of the line is %v, want loop", f)
	}
	sections := c.Sections()
	if len(sections) != 2 {
		t.Fatalf("%d sections, want 2", len(sections))
	}
	embedded, other := sections[0], sections[1]
	if embedded.Lock.Name() != "Mutex" || !embedded.Has(at(t, "// in the loop")) || embedded.Has(at(t, "// under other")) {
		t.Errorf("the section of the embedded mutex: %+v", embedded)
	}
	if other.Lock.Name() != "other" || !other.Reading || !other.Has(at(t, "// under other")) {
		t.Errorf("the section of other: %+v", other)
	}
	for name, want := range map[string]bool{"pure": true, "reads": false, "system": false, "set": false} {
		fn := c.Funcs["example.com/p."+name]
		if fn == nil {
			t.Fatalf("no function %s", name)
		}
		if got := c.PureFunction(fn); got != want {
			t.Errorf("%s only computes: %v, want %v", name, got, want)
		}
	}
	var calls []*ast.CallExpr
	for _, f := range c.List {
		calls = append(calls, f.Calls(f.Syntax, at(t, "strings.Split").Line)...)
	}
	if len(calls) != 1 {
		t.Errorf("%d calls on the line of strings.Split, want 1", len(calls))
	}
}
