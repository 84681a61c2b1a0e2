package differ_test

import (
	"bytes"
	"errors"
	"go/ast"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/whet-go/whet/internal/find/driver"
	"github.com/whet-go/whet/internal/prove/differ"
	"github.com/whet-go/whet/internal/prove/differ/support"
	"github.com/whet-go/whet/internal/prove/differ/twin"
	"github.com/whet-go/whet/internal/prove/provetest"
	"github.com/whet-go/whet/internal/prove/scratch"
)

// A trial is a package before and after a rewrite.
type trial struct {
	name, old, new string
	test           string // which passes with both
	differs        bool
}

// trials reads testdata: each file has the word "differs" or "same", old.go and new.go and, if they
// differ, a test that does not detect it.
func trials(t *testing.T) []trial {
	t.Helper()
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no testdata", err)
	}
	var all []trial
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		word := strings.TrimSpace(string(a.Comment))
		texts := map[string]string{}
		for _, f := range a.Files {
			texts[f.Name] = string(f.Data)
		}
		if texts["old.go"] == "" || texts["new.go"] == "" || word != "same" && word != "differs" {
			t.Fatalf("%s: want differs or same, old.go and new.go", file)
		}
		all = append(all, trial{
			strings.TrimSuffix(filepath.Base(file), ".txtar"), texts["old.go"], texts["new.go"],
			texts["code_test.go"], word == "differs",
		})
	}
	return all
}

func write(t *testing.T, name string, text []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestTraps detects the rewrites that change behavior, including some from the articles, and
// accepts the others.
func TestTraps(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), []byte("module example.com/traps\n\ngo 1.26\n"))
	all := slices.DeleteFunc(trials(t), func(one trial) bool { return !provetest.InPart(t, one.name) })
	changes := scratch.Changes{}
	for _, one := range all {
		write(t, filepath.Join(dir, one.name, "code.go"), []byte(one.old))
		changes[one.name+"/code.go"] = scratch.Change{Before: []byte(one.old), After: []byte(one.new)}
	}
	not, err := differ.WriteTwins(t.Context(), dir, changes)
	if err != nil || len(not) > 0 {
		t.Fatal(not, err)
	}
	for _, one := range all {
		if one.test != "" {
			write(t, filepath.Join(dir, one.name, twin.Dir, "code_test.go"), []byte(one.test))
		}
	}
	cmd := exec.CommandContext(t.Context(), "go", "test", "-vet=off", "-ldflags=-s -w -checklinkname=0",
		"-run=^Test|^FuzzWhet", "-v", "./...")
	cmd.Dir = dir
	out, _ := cmd.CombinedOutput() // failures are in the output
	for _, one := range all {
		ok := bytes.Contains(out, []byte("ok  \texample.com/traps/"+one.name+"\t"))
		failed := bytes.Contains(out, []byte("FAIL\texample.com/traps/"+one.name+"\t"))
		switch own := ownTests(out, one.name+"/"+twin.Dir); {
		case one.differs && one.test == "":
			t.Errorf("%s: there is no test that passes all the same", one.name)
		case bytes.Contains(own, []byte("--- FAIL: Test")) ||
			one.test != "" && !bytes.Contains(own, []byte("--- PASS: Test")):
			t.Errorf("%s: the package's own test finds it, or did not run\n%s", one.name, excerpt(out, one.name))
		}
		if ok == failed || failed != one.differs {
			t.Errorf("%s: passes %v, fails %v, want differs %v\n%s", one.name, ok, failed, one.differs, excerpt(out, one.name))
		}
	}
	if bytes.Contains(out, []byte("build failed")) || bytes.Contains(out, []byte("setup failed")) {
		t.Errorf("%s", out[:min(len(out), 4000)])
	}
}

// ownTests returns the output about a package, up to the line with its result, which begins with
// end.
func ownTests(out []byte, name string) []byte {
	end := bytes.Index(out, []byte("\texample.com/traps/"+name+"\t"))
	out = out[:max(0, end)]
	if begin := bytes.LastIndex(out, []byte("\texample.com/traps/")); begin >= 0 {
		out = out[begin:]
	}
	return out
}

// excerpt returns the output before the end of a package's.
func excerpt(out []byte, name string) []byte {
	i := bytes.Index(out, []byte("example.com/traps/"+name+"\t"))
	return out[max(0, i-1500):max(0, i)]
}

// TestSeeds begins with as many random inputs as the environment says.
func TestSeeds(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	provetest.Part(t)
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), []byte("module example.com/seeds\n\ngo 1.26\n"))
	before := []byte("package p\n\nfunc F(n int) int { return n }\n")
	after := []byte("package p\n\nfunc F(n int) int { return 0 + n }\n")
	write(t, filepath.Join(dir, "p", "p.go"), before)
	changes := scratch.Changes{"p/p.go": {Before: before, After: after}}
	if not, err := differ.WriteTwins(t.Context(), dir, changes); err != nil {
		t.Fatal(not, err)
	}
	cmd := exec.CommandContext(t.Context(), "go", "test", "-vet=off", support.ExitFlag(nil), "-run=^FuzzWhet", "-v", "./p")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), differ.SeedsEnv+"=3")
	out, err := cmd.CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("/seed#2 ")) || bytes.Contains(out, []byte("/seed#3 ")) {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestUnsupported checks that what cannot be compared is named.
func TestUnsupported(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), []byte("module example.com/odd\n\ngo 1.26\n"))
	write(t, filepath.Join(dir, "odd", "odd.go"), []byte(`package odd

import (
	"os"
	"testing"
)

type both interface{ int; string }

func Generic[T both](v T) T { return v }

func File(f *os.File) error { return f.Close() }

func Foreign(t testing.TB) string { return t.Name() }

func init() {}
`))
	pkgs, err := driver.Load(t.Context(), driver.Options{Dir: dir}, "./odd")
	if err != nil {
		t.Fatal(err)
	}
	var decls []*ast.FuncDecl
	for _, d := range pkgs[0].Syntax[0].Decls {
		if fn, ok := d.(*ast.FuncDecl); ok {
			decls = append(decls, fn)
		}
	}
	_, _, errs := differ.Dump(pkgs[0], decls, 1, 1, nil)
	want := []string{
		"Generic cannot be compared: it is generic, and no type arguments are known for it",
		"File cannot be compared: parameter f: os.File has fields that only its package can set",
		"Foreign cannot be compared: parameter t: no type of the module has the methods of testing.TB",
		"init cannot be compared: it runs once, when the program starts",
	}
	if len(errs) != len(want) {
		t.Fatalf("%v", errs)
	}
	for i, err := range errs {
		var e *differ.UnsupportedError
		if err.Error() != want[i] || !errors.As(err, &e) {
			t.Errorf("%v, want %s", err, want[i])
		}
	}
}
