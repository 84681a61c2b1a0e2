package scratch

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// moduleOf makes a scratch copy of a module.
func moduleOf(t *testing.T, text string) *Module {
	t.Helper()
	dir := t.TempDir()
	for _, f := range txtar.Parse([]byte(text)).Files {
		name := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	m, err := New(t.Context(), dir, Options{Temp: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

// failingModule has tests that fail in many ways, and Value, on which passing tests depend.
const failingModule = `
-- go.mod --
module example.com/m

go 1.26
-- a/a.go --
package a

// Value returns what tests expect.
func Value(of string) string { return of }
-- a/a_test.go --
package a

import (
	"os"
	"testing"
	"time"
)

func ask(t *testing.T, of string) {
	switch v := Value(of); v {
	case of:
	case "skip":
		t.Skip("as told")
	case "exit":
		os.Exit(0)
	default:
		t.Errorf("%s is %s after %v", of, v, time.Now())
	}
}

func TestFirst(t *testing.T) { ask(t, "first") }

func TestFails(t *testing.T) { t.Error("it is known that", Value("fails"), "at", time.Now()) }

func TestSubtests(t *testing.T) {
	t.Run("bad", func(t *testing.T) { t.Error("it is known, too") })
	t.Run("good", func(t *testing.T) { ask(t, "good") })
}

func TestPanics(*testing.T) { panic("it ends the process") }

func TestBehind(t *testing.T) { ask(t, "behind") }

func TestExits(*testing.T) { os.Exit(3) }

func TestLast(t *testing.T) { ask(t, "last") }

func TestFlaky(t *testing.T) {
	name := os.Getenv("COUNT_FILE")
	text, _ := os.ReadFile(name)
	if err := os.WriteFile(name, append(text, '.'), 0o600); err != nil {
		t.Fatal(err)
	}
	if len(text)%2 == 1 {
		t.Error("it was tried before")
	}
}
-- b/b.go --
package b
-- b/b_test.go --
package b

import "testing"

func TestBuilds(*testing.T) { undefined() }
-- c/c.go --
package c
-- c/c_test.go --
package c

import (
	"testing"

	"example.com/m/a"
)

func TestPanics(t *testing.T) { // a test with this name is left out in another package
	if a.Value("c") != "c" {
		t.Error("wrong")
	}
}
`

// TestBaseline compares each test with itself: one that passed must pass, and one that failed may
// fail in the same way.
func TestBaseline(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	t.Setenv("COUNT_FILE", filepath.Join(t.TempDir(), "count"))
	m := moduleOf(t, failingModule)
	all := []string{"example.com/m/a", "example.com/m/b", "example.com/m/c"}
	b := m.Baseline(t.Context(), all, nil)
	var failing []string
	for _, one := range b.Failing() {
		failing = append(failing, strings.TrimPrefix(one.String(), "example.com/m/"))
	}
	// The flaky test fails in one of several runs, so it may or may not be among them.
	if got := strings.ReplaceAll(strings.Join(failing, " "), " a.TestFlaky", ""); got !=
		"a.TestExits a.TestFails a.TestPanics a.TestSubtests/bad b" {
		t.Errorf("failing: %s", got)
	}
	if n := b.Ignored(all); n != 6 && n != 5 {
		t.Errorf("%d are ignored", n)
	}
	for _, test := range []struct{ name, value, want string }{
		{"same", "of", ""},
		{
			"first", `map[string]string{"first": "1", "good": "good", "behind": "behind", "last": "last", "c": "c"}[of]`,
			"a.TestFirst fails:",
		},
		{"good", `strings.Replace(of, "good", "2", 1)`, "a.TestSubtests/good fails:"},
		{"behind a panic", `strings.Replace(of, "behind", "3", 1)`, "a.TestBehind fails:"},
		{"behind an exit", `strings.Replace(of, "last", "4", 1)`, "a.TestLast fails:"},
		{
			"otherwise", `strings.Replace(of, "fails", "it fails otherwise", 1)`,
			"a.TestFails fails in a different way than before:",
		},
		{"skipped", `strings.Replace(of, "last", "skip", 1)`, "a.TestLast is skipped"},
		{"exit", `strings.Replace(of, "behind", "exit", 1)`, "a.Test"},
		{"same name", `strings.Replace(of, "c", "5", 1)`, "c.TestPanics fails:"},
	} {
		t.Run(test.name, func(t *testing.T) {
			flags, err := m.Overlay(map[string][]byte{"a/a.go": []byte(
				"package a\n\nimport \"strings\"\n\nvar _ = strings.Replace\n\nfunc Value(of string) string { return " +
					test.value + " }\n",
			)})
			if err != nil {
				t.Fatal(err)
			}
			err = b.Compare(t.Context(), Trial{m, flags}, Trial{Module: m}, all)
			var differs *TestError
			if test.want == "" && err != nil {
				t.Errorf("got %v", err)
			}
			if test.want != "" && (!errors.As(err, &differs) ||
				!strings.HasPrefix(differs.Error(), "example.com/m/"+test.want)) {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
	if flaky := b.Flaky(); len(flaky) != 1 || flaky[0].Name != "TestFlaky" {
		t.Errorf("flaky: %v", flaky)
	}
}

// TestTrial checks that code under trial has a home directory and temporary files in the copy.
func TestTrial(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	home, temp := t.TempDir(), t.TempDir()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOCACHE", filepath.Join(cache, "go-build"))
	t.Setenv("GOPATH", filepath.Join(t.TempDir(), "go"))
	t.Setenv("HOME", home)
	t.Setenv("XDG_CACHE_HOME", filepath.Join(home, "cache"))
	t.Setenv("TMPDIR", temp)
	m := moduleOf(t, `
-- go.mod --
module example.com/m

go 1.26
-- m_test.go --
package m

import (
	"os"
	"path/filepath"
	"testing"
)

func TestLeaves(t *testing.T) {
	home, err := os.UserHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{home, cache, os.TempDir()} {
		dir = filepath.Join(dir, "left", "behind")
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "file"), []byte("x"), 0o400); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(dir, 0o500); err != nil {
			t.Fatal(err)
		}
	}
}
`)
	if failing := m.Baseline(t.Context(), []string{"example.com/m"}, nil).Failing(); len(failing) > 0 {
		t.Errorf("%v fail", failing)
	}
	for _, dir := range []string{home, temp} {
		if left, err := filepath.Glob(filepath.Join(dir, "*", "left")); err != nil || len(left) > 0 {
			t.Errorf("%v, %v", left, err)
		}
		if left, err := filepath.Glob(filepath.Join(dir, "left")); err != nil || len(left) > 0 {
			t.Errorf("%v, %v", left, err)
		}
	}
	for _, name := range []string{"home", "tmp"} {
		if entries, err := os.ReadDir(filepath.Join(m.Temp, name)); err != nil || len(entries) > 0 {
			t.Errorf("%s has %v, %v", name, entries, err)
		}
	}
}

// TestVet recognizes a complaint that a change moved or reworded, and finds a new one.
func TestVet(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	m := moduleOf(t, `
-- go.mod --
module example.com/m

go 1.26
-- m.go --
package m

import "fmt"

// Send formats a number wrong.
func Send(x float64) string { return fmt.Sprintf("%s|g", x) }

// Keep is fine.
func Keep(x int) string { return fmt.Sprintf("%d", x) }
-- m_test.go --
package m
`)
	before := m.Vet(t.Context(), nil, []string{"./..."})
	if len(before) != 1 || before[0].Decl != "Send" || before[0].Analyzer != "printf" {
		t.Fatalf("%+v", before)
	}
	for _, test := range []struct{ name, text, want string }{
		{"other words", `func Send(x float64) string { return fmt.Sprint("", fmt.Sprintf("%s", x), "|g") }`, ""},
		{"moved", `func Send(x float64) string { return send(x) }

func send(x float64) string { return fmt.Sprintf("%s|g", x) }`, ""},
		{"fixed", `func Send(x float64) string { return fmt.Sprintf("%v|g", x) }`, ""},
		{"two", `func Send(x float64) string { return fmt.Sprintf("%s|g", x) + fmt.Sprintf("%d", x) }`, "m.go:5: "},
		{"other kind", `func Send(x float64) string { x = x; return fmt.Sprintf("%v|g", x) }`, "m.go:5: self-assignment"},
		{"another", `func Send(x float64) string { return fmt.Sprintf("%s|g", x) }

func Keep(x int) string { return fmt.Sprintf("%f", x) }`, "m.go:7: fmt.Sprintf format %f"},
	} {
		t.Run(test.name, func(t *testing.T) {
			flags, err := m.Overlay(map[string][]byte{"m.go": []byte("package m\n\nimport \"fmt\"\n\n" + test.text + "\n")})
			if err != nil {
				t.Fatal(err)
			}
			more := NewComplaints(before, m.Vet(t.Context(), flags, []string{"./..."}))
			if test.want == "" && len(more) > 0 {
				t.Errorf("new: %v", more)
			}
			if test.want != "" && (len(more) != 1 || !strings.HasPrefix(more[0].String(), test.want)) {
				t.Errorf("new: %v, want %s", more, test.want)
			}
		})
	}
}
