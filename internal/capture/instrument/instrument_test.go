package instrument_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/whet-go/whet/internal/capture/instrument"
	"github.com/whet-go/whet/internal/capture/support"
)

// matching ranks functions whose symbols match a regular expression.
func matching(pattern string) func(string) int {
	re := regexp.MustCompile(pattern)
	return func(symbol string) int {
		if re.MatchString(symbol) {
			return 0
		}
		return -1
	}
}

// module writes the module of an archive in testdata.
func module(t *testing.T, name string) string {
	t.Helper()
	archive, err := txtar.ParseFile(filepath.Join("testdata", name+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, f := range archive.Files {
		file := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// run builds a module's program with copies, runs it, and returns its output and what it copied, by function.
func run(
	t *testing.T, dir, pattern string, flags ...string,
) (string, map[string]support.Function, *instrument.Program) {
	t.Helper()
	p, err := instrument.Make(context.Background(), instrument.Options{
		Dir: dir, Packages: []string{"."}, Rank: matching(pattern), Temp: t.TempDir(),
	})
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "program")
	args := append([]string{"build", "-overlay", p.Overlay, "-o", program}, flags...)
	build := exec.Command("go", append(args, ".")...)
	build.Dir = dir
	if out, err := build.CombinedOutput(); err != nil {
		for _, f := range p.Files {
			text, _ := os.ReadFile(f)
			t.Logf("%s:\n%s", f, text)
		}
		t.Fatalf("build: %v\n%s", err, out)
	}
	copies := t.TempDir()
	cmd := exec.Command(program)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), support.DirEnv+"="+copies, support.ShareEnv+"=1", "GORACE=halt_on_error=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("run: %v\n%s", err, out)
	}
	functions := map[string]support.Function{}
	files, _ := filepath.Glob(filepath.Join(copies, "*.json"))
	if len(files) != 1 {
		t.Fatalf("the program wrote %d documents, want 1", len(files))
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	var doc support.Document
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	for _, f := range doc.Functions {
		functions[f.Name] = f
	}
	return string(out), functions, p
}

// hasRace reports whether the race detector can be used.
func hasRace() bool {
	out, err := exec.Command("go", "env", "CGO_ENABLED", "CC").Output()
	fields := strings.Fields(string(out))
	if err != nil || len(fields) < 2 || fields[0] != "1" {
		return false
	}
	_, err = exec.LookPath(fields[1])
	return err == nil
}

// compact returns a value as JSON.
func compact(t *testing.T, v any) string {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(b.String())
}

// TestShapes checks all kinds of functions and arguments: the program behaves as before, and each function is copied
// with its results.
func TestShapes(t *testing.T) {
	dir := module(t, "shapes")
	plain := exec.Command("go", "run", ".")
	plain.Dir = dir
	want, err := plain.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, want)
	}
	out, got, p := run(t, dir, `^main\.`)
	if out != string(want) {
		t.Errorf("the program prints\n%s\nwithout copies\n%s", out, want)
	}
	wants := map[string]string{
		"variadic":       `{"kind":"slice","type":"[]string","len":2,"items":[{"kind":"string","text":"a","len":1},`,
		"Map":            `{"kind":"slice","type":"[]int","len":3,"why":"the function does not read it`,
		"(*List).Sum":    `"name":"items","value":{"kind":"slice","len":3,"items":[{"kind":"int","text":"1"}`,
		"Point.Norm":     `{"kind":"struct","type":"main.Point","fields":[{"name":"X","value":{"kind":"float","text":"3"}}`,
		"blank":          `[{"kind":"int","type":"int","text":"1"},{"kind":"string","type":"string","text":"two","len":3}]`,
		"closures":       `{"kind":"omitted","type":"func(int) int","why":"a function"}`,
		"channels":       `{"kind":"omitted","type":"chan int","why":"a channel with capacity 4"}`,
		"cyclic":         `"why":"a cycle"`,
		"huge":           `"len":1000000`,
		"counts":         `"type":"map[string]int","len":1,"items":[{"kind":"string","text":"a","len":1},{"kind":"int",`,
		"anything":       `{"kind":"struct","type":"main.Point","fields":`,
		"named":          `"results":[{"kind":"int","type":"int","text":"3"},{"kind":"nil"}]`,
		"first":          `{"kind":"slice","type":"[]main.Point","len":2,"items":[{"kind":"struct"`,
		"inner":          `"note":"results are not copied: it calls recover"`,
		"shadow":         `"note":"results are not copied: a parameter has its name"`,
		"viaPointer":     `"name":"used","value":{"kind":"string","text":"yes","len":3}`,
		"(*Tree).insert": `"kind":"pointer"`,
		"method":         `{"kind":"omitted","type":"func() int","why":"a function"}],"results":[{"kind":"int",`,
		"(*Stack).Depth": `"name":"items","value":{"kind":"slice","len":2,"items":[{"kind":"string","text":"low","len":3}`,
	}
	// Type switches: what a clause reads of the value, and of the other arguments.
	for part, name := range map[string]string{
		`{"kind":"pointer","type":"*main.varElement","items":[{"kind":"struct","fields":[{"name":"name","value":` +
			`{"kind":"string","text":"title","len":5}},{"name":"raw","value":{"kind":"bool","text":"false"}}]}]},`: "fill",
		`{"name":"text","value":{"kind":"bytes","text":"sent","len":4}}`: "send",
		`"type":"*main.groupElement","items":[{"kind":"struct","fields":[{"name":"name","value":` +
			`{"kind":"string","text":"group","len":5}}`: "fill",
		`{"kind":"reflected","type":"map[string]interface {}","items":[{"kind":"map","len":2,"items":[`: "fill",
		`{"kind":"string","text":"a title","len":7}`:                                                    "fill",
		`{"name":"text","value":{"kind":"bytes","text":"a text","len":6}}`:                              "fill",
		`{"name":"elements","value":{"kind":"slice","len":1,"why":`:                                     "fill",
		`{"name":"name","value":{"kind":"string","text":"kind","len":4}}`:                               "kind",
		`{"name":"text","value":{"kind":"bytes","text":"more","len":4}}`:                                "kind",
		`"type":"[]int","len":1,"why":"the function does not read it`:                                   "kind",
	} {
		if text := compact(t, got[name]); !strings.Contains(text, part) {
			t.Errorf("%s has no\n%s\n%.4000s", name, part, text)
		}
	}
	for name, part := range wants {
		f, ok := got[name]
		if !ok || len(f.Calls) == 0 {
			t.Errorf("%s was not copied", name)
			continue
		}
		if text := compact(t, f); !strings.Contains(text, part) {
			t.Errorf("%s has no\n%s\n%.2000s", name, part, text)
		}
	}
	left := compact(t, p.Left)
	for _, part := range []string{
		`shapes.small","why":"it is so small`, `shapes.pragma","why":"it has the directive //go:nosplit`,
	} {
		if !strings.Contains(left, part) {
			t.Errorf("left out are %s, want %s", left, part)
		}
	}
	// Only the length of a result is copied, and whether it is nil: others may write what it refers to.
	for name, part := range map[string]string{
		"Map":            `"results":[{"kind":"slice","type":"[]string","len":3,"why":`,
		"(*Tree).insert": `"results":[{"kind":"pointer","type":"*main.Tree","why":`,
	} {
		if text := compact(t, got[name]); !strings.Contains(text, part) {
			t.Errorf("%s has no\n%s\n%.2000s", name, part, text)
		}
	}
	if text := compact(t, got["viaPointer"]); strings.Contains(text, "unused text") {
		t.Errorf("a field that is not read was copied: %s", text)
	}
}

// TestShapesRace checks that the program with all kinds of functions and arguments, built with the race detector,
// behaves as before while it is copied, and that the race detector reports nothing.
func TestShapesRace(t *testing.T) {
	if !hasRace() {
		t.Skip("the race detector needs a C compiler")
	}
	dir := module(t, "shapes")
	plain := exec.Command("go", "run", "-race", ".")
	plain.Dir = dir
	want, err := plain.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, want)
	}
	out, got, _ := run(t, dir, `^main\.`, "-race")
	if out != string(want) {
		t.Errorf("the program prints\n%s\nwithout copies\n%s", out, want)
	}
	for _, name := range []string{
		"variadic", "Map", "closures", "channels", "cyclic", "huge", "anything", "method", "fill",
	} {
		if f := got[name]; len(f.Calls) == 0 {
			t.Errorf("%s was not copied", name)
		}
	}
}

// TestRaces checks that copying adds no race to a program that has none, although what its arguments refer to is
// written at the same time.
func TestRaces(t *testing.T) {
	if !hasRace() {
		t.Skip("the race detector needs a C compiler")
	}
	_, got, _ := run(t, module(t, "concurrent"), `^main\.`, "-race")
	for _, name := range []string{
		"(*Cache).Get", "worker", "chunk", "(*Counter).Add", "lookup", "wait", "later", "(*Guarded).frozen",
		"(*Guarded).thawed", "(*Guarded).either", "(*Guarded).switched", "(*Guarded).other", "helped", "nested", "twice",
	} {
		if f := got[name]; len(f.Calls) == 0 {
			t.Errorf("%s was not copied", name)
		}
	}
	if text := compact(t, got["lookup"]); !strings.Contains(text, `"kind":"map","type":"map[string]int","len":1`) {
		t.Errorf("the map that is only read was not copied: %.600s", text)
	}
	if text := compact(t, got["(*Cache).Get"]); !strings.Contains(text, "may synchronize") {
		t.Errorf("what a lock protects is not named: %.600s", text)
	}
}

// TestLines checks that no line moves.
func TestLines(t *testing.T) {
	dir := module(t, "shapes")
	p, err := instrument.Make(context.Background(), instrument.Options{
		Dir: dir, Packages: []string{"."}, Rank: matching(`^main\.`), Temp: t.TempDir(),
	})
	if err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(filepath.Join(dir, "main.go"))
	if err != nil {
		t.Fatal(err)
	}
	after, err := os.ReadFile(p.Files[filepath.Join(dir, "main.go")])
	if err != nil {
		t.Fatal(err)
	}
	if a, b := bytes.Count(before, []byte("\n")), bytes.Count(after, []byte("\n")); a != b {
		t.Errorf("the file has %d lines, and had %d", b, a)
	}
}

// TestNone checks the errors if there is nothing to copy.
func TestNone(t *testing.T) {
	dir := module(t, "shapes")
	for pattern, want := range map[string]string{
		`^nothing$`:        "none of the functions",
		`^main\.small$`:    "shapes.small: it is so small",
		`^main\.(main)$`:   "it is called once",
		`^strings\.Repeat`: "none of the functions",
	} {
		o := instrument.Options{Dir: dir, Packages: []string{"."}, Rank: matching(pattern), Temp: t.TempDir()}
		if _, err := instrument.Make(context.Background(), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", pattern, err, want)
		}
	}
}
