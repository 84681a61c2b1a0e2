package differ_test

import (
	"go/ast"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/whet-go/whet/internal/capture/arguments"
	"github.com/whet-go/whet/internal/capture/support"
	"github.com/whet-go/whet/internal/find/driver"
	"github.com/whet-go/whet/internal/prove/captured"
	"github.com/whet-go/whet/internal/prove/differ"
)

// TestBenchmarksCaptured checks that a written benchmark goes through the calls that a program made, in their order and
// as often as each was copied, without those that panic. A function without calls has generated inputs.
func TestBenchmarksCaptured(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.com/some\n\ngo 1.26\n",
		"some.go": "package some\n\nfunc First(path string, n int) string { return path[:n] }\n\n" +
			"func Other(path string) int { return len(path) }\n",
	} {
		write(t, filepath.Join(dir, name), []byte(text))
	}
	pkgs, err := driver.Load(t.Context(), driver.Options{Dir: dir}, ".")
	if err != nil || len(pkgs) != 1 || len(pkgs[0].Errors) > 0 {
		t.Fatal(err, pkgs[0].Errors)
	}
	var targets []differ.Target
	for _, d := range pkgs[0].Syntax[0].Decls {
		targets = append(targets, differ.Target{Decl: d.(*ast.FuncDecl)})
	}
	f := support.Function{Package: "example.com/some", Name: "First"}
	for _, call := range []struct{ path, n string }{
		{"/often", "2"}, {"/once", "1"}, {"/often", "2"}, {"/panics", "99"}, {"/often", "2"},
	} {
		f.Calls = append(f.Calls, support.Call{Arguments: []support.Value{
			{Kind: support.KindString, Text: call.path, Len: len(call.path)}, {Kind: support.KindInt, Text: call.n},
		}})
	}
	calls := captured.Of(&arguments.Document{Functions: []support.Function{f}})
	files, _, errs := differ.Benchmarks(pkgs[0], nil, targets, calls)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	for name, text := range files {
		write(t, filepath.Join(dir, name), text)
	}
	chosen := func(function string) string {
		file := filepath.Join(t.TempDir(), "chosen")
		cmd := exec.CommandContext(t.Context(), "go", "test", "-run=^$", "-bench=Whet_"+function+"$", "-benchtime=1x")
		cmd.Dir, cmd.Env = dir, append(os.Environ(), differ.ChosenEnv+"="+file)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	want := `-1 1 true "\"/often\", 2"
-2 2 true "\"/once\", 1"
-3 3 true "\"/often\", 2"
-5 5 true "\"/often\", 2"
`
	if got := chosen("First"); got != want {
		t.Errorf("a function with captured calls has the inputs\n%s\nwant\n%s", got, want)
	}
	if got := chosen("Other"); got == "" || strings.HasPrefix(got, "-") {
		t.Errorf("a function without captured calls has the inputs\n%s", got)
	}
}
