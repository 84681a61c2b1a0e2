package differ_test

import (
	"bytes"
	"go/ast"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/whet-go/whet/internal/find/driver"
	"github.com/whet-go/whet/internal/prove/differ"
	"github.com/whet-go/whet/internal/prove/provetest"
	"github.com/whet-go/whet/internal/prove/syntax"
)

const benchmarked = `package some

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"sort"
	"strings"
)

type order struct {
	Name  string ` + "`json:\"name\"`" + `
	Price int    ` + "`json:\"price\"`" + `
}

type store struct {
	orders map[string]order
	names  []string
}

func newStore() *store { return &store{orders: map[string]order{}} }

func (s *store) Add(o order) { s.orders[o.Name] = o; s.names = append(s.names, o.Name) }

func Join(words []string) string { return strings.Join(words, ",") }

func Decode(body []byte) (order, error) {
	var o order
	err := json.Unmarshal(body, &o)
	return o, err
}

func Sort(words []string) { sort.Strings(words) }

func Count(r io.Reader) (int, error) {
	data, err := io.ReadAll(r)
	if err == nil && len(data) == 0 {
		err = errors.New("nothing to read")
	}
	return len(data), err
}

func Serve(w http.ResponseWriter, r *http.Request) {
	w.Header().Add("X-Path", r.URL.Path)
	data, _ := io.ReadAll(r.Body)
	if len(data) == 0 {
		panic("no body")
	}
	fmt.Fprintf(w, "%s %d", r.FormValue("q"), len(data))
}

func Timed(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		next(w, r)
		fmt.Fprint(w, "done")
	}
}

func Map[K comparable, V any](m map[K]V) int { return len(m) }

func Never(s string) { panic(s) }

func Fails(s string) error { return errors.New(s) }

func file(f *os.File, s string) string { return s }

func Open(s string) string { return file(os.Stdin, s) }

func Alone(f *os.File) error { return f.Close() }

func Endless() { select {} }
`

// TestBenchmarks writes benchmarks that run, restore what calls use up, and omit inputs that fail.
func TestBenchmarks(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		write(t, filepath.Join(dir, name), []byte(text))
	}
	write("go.mod", "module example.com/some\n\ngo 1.26\n")
	write("some.go", benchmarked)
	pkgs, err := driver.Load(t.Context(), driver.Options{Dir: dir}, ".")
	if err != nil || len(pkgs) != 1 || len(pkgs[0].Errors) > 0 {
		t.Fatal(err, pkgs[0].Errors)
	}
	var targets []differ.Target
	for _, d := range pkgs[0].Syntax[0].Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Name.Name == "newStore" {
			continue
		}
		line := 1 + strings.Count(benchmarked[:strings.Index(benchmarked, `fmt.Fprint(w, "done")`)], "\n")
		target := differ.Target{
			Decl: fn, Returned: fn.Name.Name == "Timed" && syntax.InLiteral(pkgs[0].Fset, fn, line, line),
		}
		targets = append(targets, target)
	}
	files, benchmarks, errs := differ.Benchmarks(pkgs[0], nil, targets, nil)
	if len(errs) != 1 || !strings.Contains(errs[0].Error(), "Alone cannot be compared: parameter f: os.File") {
		t.Errorf("%v", errs)
	}
	var names []string
	for _, b := range benchmarks {
		names = append(names, b.Function+" "+b.Name)
	}
	if want := "(*store).Add BenchmarkWhet_store_Add"; names[0] != want ||
		!slices.Contains(names, "Open BenchmarkWhet_Open") {
		t.Errorf("%q", names)
	}
	for name, text := range files {
		write(name, string(text))
	}
	if !bytes.Contains(files[differ.BenchmarkFile], []byte("// BenchmarkWhet_Timed calls what Timed returns")) {
		t.Errorf("%s", files[differ.BenchmarkFile])
	}
	cmd := exec.CommandContext(t.Context(), "go", "test", "-run=^$", "-bench=Whet", "-benchtime=300x", "-v")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	ran := map[string]string{}
	for _, m := range regexp.MustCompile(
		`(?m)^BenchmarkWhet_(\w+?)(-\d+)?\s+300\s.*?(\d+) allocs/op`).FindAllStringSubmatch(string(out), -1) {
		ran[m[1]] = m[3]
	}
	for name, want := range map[string]string{
		"Join": `^[01]$`, "Decode": `^\d+$`, "Sort": `^\d$`, "Count": `^[1-9]`, "Serve": `^[1-9]`, "Timed": `^\d`,
		"store_Add": `^\d`, "Map": `^0$`, "Fails": `^1$`, "Open": `^0$`,
	} {
		if !regexp.MustCompile(want).MatchString(ran[name]) {
			t.Errorf("%s ran %q, want %s", name, ran[name], want)
		}
	}
	for _, name := range []string{"Never", "Endless"} {
		if ran[name] != "" || !bytes.Contains(out, []byte("--- SKIP: BenchmarkWhet_"+name)) {
			t.Errorf("%s ran %q", name, ran[name])
		}
	}
	if t.Failed() {
		t.Logf("%s\n%s", files[differ.BenchmarkFile], out)
	}
}

// TestBenchmarksCall checks that the compiler inlines a function into its benchmark only if the
// package calls it directly, and not if a program calls it through an interface or a function value.
func TestBenchmarksCall(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		write(t, filepath.Join(dir, name), []byte(text))
	}
	write("go.mod", "module example.com/some\n\ngo 1.17\n")
	write("some.go", `package some

type number struct{ n int }

type named interface{ Name(int) string }

func (r *number) Name(n int) string { return digits(r.n + n) }

func (r *number) Error() string { return digits(r.n) }

func (r *number) Last() string { return digits(r.n)[9:] }

func digits(n int) string { return "0123456789"[n&7:] }

func Exported(n int) string { return digits(n) }

func Value(n int) string { return digits(n) }

var table = []func(int) string{Value}

func Returns(n int) func() string { return func() string { return digits(n) } }
`)
	pkgs, err := driver.Load(t.Context(), driver.Options{Dir: dir}, ".")
	if err != nil || len(pkgs) != 1 || len(pkgs[0].Errors) > 0 {
		t.Fatal(err, pkgs)
	}
	var targets []differ.Target
	for _, d := range pkgs[0].Syntax[0].Decls {
		if fn, ok := d.(*ast.FuncDecl); ok {
			targets = append(targets, differ.Target{Decl: fn, Returned: fn.Name.Name == "Returns"})
		}
	}
	files, _, errs := differ.Benchmarks(pkgs[0], nil, targets, nil)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	for name, text := range files {
		write(name, string(text))
	}
	cmd := exec.CommandContext(t.Context(), "go", "test", "-c", "-gcflags=-m", "-o", os.DevNull)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	before, _, ok := strings.Cut(string(files[differ.BenchmarkFile]), "\nfunc whetBefore_")
	if !ok {
		t.Error("no methods are called before")
	}
	helpers := strings.Count(before, "\n")
	for function, want := range map[string]bool{
		"digits": true, "Exported": true, `\(\*number\).Last`: true, "Value": false, `\(\*number\).Name`: false,
		`\(\*number\).Error`: false, `Returns.func1`: false,
	} {
		inlined := regexp.MustCompile(`(?m)^\./` + differ.BenchmarkFile + `:(\d+):.* inlining call to ` + function + `$`)
		got := false
		for _, m := range inlined.FindAllSubmatch(out, -1) {
			at, _ := strconv.Atoi(string(m[1]))
			got = got || at < helpers
		}
		if got != want {
			t.Errorf("%s is inlined: %t, want %t", function, got, want)
		}
	}
	if t.Failed() {
		t.Logf("%s\n%s", files[differ.BenchmarkFile], out)
	}
}

// TestBenchmarksReach checks that a benchmark whose coverage is measured chooses inputs that run what few
// inputs run, that a benchmark without one goes through what was picked for it, and that inputs that cannot be
// made twice are left out.
func TestBenchmarksReach(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), []byte("module example.com/some\n\ngo 1.26\n"))
	write(t, filepath.Join(dir, "some.go"), []byte(`package some

import "hash/fnv"

var Rarely int

func Rare(s string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(s))
	if h.Sum32()%60 == 7 {
		Rarely++
	}
	return h.Sum32()
}

type Gauge struct{ name string }

var names = map[string]bool{}

func NewGauge(name string) *Gauge {
	if names[name] {
		panic(name + " is registered already")
	}
	names[name] = true
	return &Gauge{name}
}

func (g *Gauge) Name() string { return g.name }
`))
	pkg := writeBenchmarks(t, dir, "NewGauge")
	chosen, profile := filepath.Join(dir, "chosen"), filepath.Join(dir, "cover.out")
	run := func(want int, flags ...string) string {
		t.Helper()
		args := append([]string{"test", "-run=^$", "-benchtime=20x", "-v"}, flags...)
		cmd := exec.CommandContext(t.Context(), "go", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), differ.ChosenEnv+"="+chosen)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		covered, err := os.ReadFile(profile)
		counted := regexp.MustCompile(`some\.go:1[01]\.\d+,1[12]\.\d+ 1 (\d+)`).FindSubmatch(covered)
		if err != nil || counted == nil || (string(counted[1]) != "0") != (want > 0) {
			t.Errorf("%v: %v, %s: the rare block is %q", flags, err, out, counted)
		}
		return string(out)
	}
	covered := []string{"-cover", "-covermode=count", "-coverprofile=" + profile}
	run(1, append(covered, "-bench=Rare")...) // it chooses
	inputs, err := os.ReadFile(chosen)
	if err != nil || bytes.Count(inputs, []byte("\n")) < 8 {
		t.Fatal(err, string(inputs))
	}
	run(1, append(covered, "-bench=Rare")...) // it calls once with each
	lines := strings.Split(strings.TrimSpace(string(inputs)), "\n")
	name, text := differ.Picked(pkg, map[string]string{"BenchmarkWhet_Rare": lines[len(lines)-1]})
	write(t, filepath.Join(dir, name), text)
	if err := os.Remove(chosen); err != nil {
		t.Fatal(err)
	}
	chosen = ""
	run(0, append(covered, "-bench=Rare")...) // one that runs nothing new
	if out := run(0, append(covered, "-bench=Gauge")...); !strings.Contains(out, "--- SKIP: BenchmarkWhet_Gauge_Name") {
		t.Errorf("inputs that cannot be made twice: %s", out)
	}
}

// TestBenchmarksMake checks that a benchmark goes without inputs that take long to make, unless all do.
func TestBenchmarksMake(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	provetest.Part(t)
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), []byte("module example.com/some\n\ngo 1.26\n"))
	write(t, filepath.Join(dir, "some.go"), []byte(`package some

import "time"

type Number struct {
	n    int
	slow bool
}

func NewNumber(n int) *Number {
	slow := n%2 == 0
	if slow {
		time.Sleep(60 * time.Millisecond)
	}
	return &Number{n, slow}
}

func (n *Number) Value() int { return n.n }

type Always struct{ n int }

func NewAlways(n int) *Always {
	time.Sleep(60 * time.Millisecond)
	return &Always{n}
}

func (a *Always) Value() int { return a.n }
`))
	pkgs, err := driver.Load(t.Context(), driver.Options{Dir: dir}, ".")
	if err != nil || len(pkgs) != 1 || len(pkgs[0].Errors) > 0 {
		t.Fatal(err, pkgs)
	}
	var targets []differ.Target
	for _, d := range pkgs[0].Syntax[0].Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv != nil {
			targets = append(targets, differ.Target{Decl: fn})
		}
	}
	files, _, errs := differ.Benchmarks(pkgs[0], nil, targets, nil)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	for name, text := range files {
		write(t, filepath.Join(dir, name), text)
	}
	for _, name := range []string{"Number", "Always"} {
		chosen := filepath.Join(dir, name)
		cmd := exec.CommandContext(t.Context(), "go", "test", "-run=^$", "-benchtime=1x", "-bench=Whet_"+name)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), differ.ChosenEnv+"="+chosen)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		inputs, err := os.ReadFile(chosen)
		if err != nil || len(inputs) == 0 || bytes.Contains(inputs, []byte(" true}")) {
			t.Errorf("%s: %v, inputs:\n%s", name, err, inputs)
		}
	}
}

// TestBenchmarksAny checks that a function that takes any gets lists and maps, too, and those types that its package
// asserts.
func TestBenchmarksAny(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	provetest.Part(t)
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), []byte("module example.com/some\n\ngo 1.26\n"))
	write(t, filepath.Join(dir, "some.go"), []byte(`package some

import (
	"errors"
	"reflect"
)

type Level int

// Size returns the number of elements.
func Size(v any) (int, error) {
	if level, ok := v.(Level); ok {
		return int(level), nil
	}
	switch of := reflect.ValueOf(v); of.Kind() {
	case reflect.Slice, reflect.Map:
		return of.Len(), nil
	}
	return 0, errors.New("no elements")
}
`))
	writeBenchmarks(t, dir, "")
	chosen := filepath.Join(dir, "chosen")
	run := func(env ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "go", "test", "-run=^$", "-benchtime=20x", "-bench=Whet_Size", "-cover")
		cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return string(out)
	}
	run(differ.ChosenEnv + "=" + chosen)
	inputs, err := os.ReadFile(chosen)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`(?m)^1 .* "\d+"$`, `(?m)^8 .* "\[`} {
		if !regexp.MustCompile(want).Match(inputs) {
			t.Errorf("no input matches %q:\n%s", want, inputs)
		}
	}
	out := run(differ.BySizeEnv + "=1")
	for _, size := range []string{"size=1", "size=8", "size=64"} {
		if !regexp.MustCompile("BenchmarkWhet_Size/" + size + `(-\d+)?\s+20\s`).MatchString(out) {
			t.Errorf("the inputs with %s did not run alone:\n%s", size, out)
		}
	}
}

// writeBenchmarks writes benchmarks of the functions of a package, except one, into its directory; "" means of all.
func writeBenchmarks(t *testing.T, dir, except string) *packages.Package {
	t.Helper()
	pkgs, err := driver.Load(t.Context(), driver.Options{Dir: dir}, ".")
	if err != nil || len(pkgs) != 1 || len(pkgs[0].Errors) > 0 {
		t.Fatal(err, pkgs)
	}
	var targets []differ.Target
	for _, d := range pkgs[0].Syntax[0].Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Name.Name != except {
			targets = append(targets, differ.Target{Decl: fn})
		}
	}
	files, _, errs := differ.Benchmarks(pkgs[0], nil, targets, nil)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	for name, text := range files {
		write(t, filepath.Join(dir, name), text)
	}
	return pkgs[0]
}
