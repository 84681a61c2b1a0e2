package differ_test

import (
	"fmt"
	"go/ast"
	"hash/crc32"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/whet-go/whet/internal/capture/arguments"
	"github.com/whet-go/whet/internal/capture/support"
	"github.com/whet-go/whet/internal/find/driver"
	"github.com/whet-go/whet/internal/prove/captured"
	"github.com/whet-go/whet/internal/prove/differ"
	"github.com/whet-go/whet/internal/prove/provetest"
)

// sumModule has a function whose new version is wrong for texts that no generator makes: the code only has a sum of
// them.
const sumModule = `
-- old/go.mod --
module example.com/m

go 1.24
-- old/p/p.go --
package p

import "hash/crc32"

type Checker struct{ seen []string }

func (c *Checker) Check(text string, weight int) int {
	n := int(crc32.ChecksumIEEE([]byte(text)))
	for range c.seen {
		n++
	}
	return n * weight
}
-- new/p/p.go --
package p

import "hash/crc32"

type Checker struct{ seen []string }

func (c *Checker) Check(text string, weight int) int {
	n := int(crc32.ChecksumIEEE([]byte(text)))
	if n == %d {
		return 0
	}
	for range c.seen {
		n++
	}
	return n * weight
}
`

// TestCaptured checks that arguments that a program had are inputs: they show a difference that generated ones do not.
func TestCaptured(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	provetest.Part(t)
	archive := txtar.Parse([]byte(fmt.Sprintf(sumModule, uint32(0xD5A20BD0))))
	if got, _, err := compareModule(t, archive, "p"); err != nil || got != "same" {
		t.Fatalf("without captured arguments: %s, %v, want same", got, err)
	}
	text := func(s string) support.Value { return support.Value{Kind: support.KindString, Text: s, Len: len(s)} }
	unread := support.Value{Kind: support.KindPointer, Why: support.Unread}
	calls := captured.Of(&arguments.Document{Functions: []support.Function{{
		Package: "example.com/m/p", Name: "(*Checker).Check", Receiver: true, Parameters: []string{"text", "weight"},
		Calls: []support.Call{
			{Arguments: []support.Value{unread, text("another"), {Kind: support.KindInt, Text: "2"}}},
			{Arguments: []support.Value{unread, text("production order 4711"), {Kind: support.KindInt, Text: "3"}}},
		},
	}}})
	got, r, err := compareCaptured(t, archive, "p", calls)
	if err != nil || got != "differs" {
		t.Fatalf("with captured arguments: %s, %v, want differs", got, err)
	}
	if !strings.Contains(r.Separate, "production order 4711") {
		t.Errorf("the difference does not show the input: %s", r.Separate)
	}
}

// TestNearlyCaptured checks that nearly the arguments that a program had are inputs, too, also of a generic function:
// neither these arguments nor generated ones show the difference. The new versions are wrong for one text that ends
// otherwise, next to a captured number.
func TestNearlyCaptured(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	text := func(s string) support.Value {
		return support.Value{Kind: support.KindString, Type: "string", Text: s, Len: len(s)}
	}
	document := &arguments.Document{Functions: []support.Function{{
		Package: "example.com/m/p", Name: "Check", Parameters: []string{"text", "weight"},
		Calls: []support.Call{
			{Arguments: []support.Value{text("another"), {Kind: support.KindInt, Type: "int", Text: "2"}}},
			{Arguments: []support.Value{
				text("production order 4711"), {Kind: support.KindInt, Type: "int", Text: "981276"},
			}},
		},
	}}}
	for name, head := range map[string]string{
		"plain":   "func Check(text string, weight int) int {\n",
		"generic": "func Check[T ~string](text T, weight int) int {\n",
	} {
		t.Run(name, func(t *testing.T) {
			provetest.Part(t)
			t.Parallel()
			const before = "package p\n\nimport \"hash/crc32\"\n\n%s" +
				"\tn := int(crc32.ChecksumIEEE([]byte(text)))\n%s\treturn n * weight\n}\n"
			module := func(ends string) *txtar.Archive {
				wrong := fmt.Sprintf("\tif weight%%1000 == 276 && n == %d {\n\t\treturn 0\n\t}\n",
					crc32.ChecksumIEEE([]byte("production order "+ends)))
				return &txtar.Archive{Files: []txtar.File{
					{Name: "old/go.mod", Data: []byte("module example.com/m\n\ngo 1.24\n")},
					{Name: "old/p/p.go", Data: fmt.Appendf(nil, before, head, "")},
					{Name: "new/p/p.go", Data: fmt.Appendf(nil, before, head, wrong)},
				}}
			}
			if got, _, err := compareCaptured(t, module("4712"), "p", nil); err != nil || got != "same" {
				t.Errorf("without captured arguments: %s, %v, want same", got, err)
			}
			got, r, err := compareCaptured(t, module("4712"), "p", captured.Of(document))
			if err != nil || got != "differs" || !strings.Contains(r.Separate, "production order 4712") {
				t.Errorf("with captured arguments: %s, %v, want a difference for 4712", got, err)
			}
			if got, _, err := compareCaptured(t, module("999"), "p", captured.Of(document)); err != nil || got != "same" {
				t.Errorf("another text: %s, %v, want same", got, err)
			}
		})
	}
}

// TestNearlyCapturedNumbers checks that inputs have numbers next to captured ones, and the bounds of their types.
func TestNearlyCapturedNumbers(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	number := func(kind, name, n string) support.Value { return support.Value{Kind: kind, Type: name, Text: n} }
	document := &arguments.Document{Functions: []support.Function{{
		Package: "example.com/m/p", Name: "Price", Parameters: []string{"id", "n", "scale", "list"},
		Calls: []support.Call{{Arguments: []support.Value{
			number(support.KindInt, "int64", "20260417093355"), number(support.KindInt, "int", "48611"),
			number(support.KindFloat, "float64", "317.625"),
			{Kind: support.KindSlice, Type: "[]uint32", Len: 2, Items: []support.Value{
				number(support.KindUint, "uint32", "2718281828"), number(support.KindUint, "uint32", "3141592653"),
			}},
		}}},
	}}}
	const price = "package p\n\nfunc Price(id int64, n int, scale float64, list []uint32) int64 {\n%s" +
		"\tsum := id ^ int64(n) + int64(scale*8)\n\tfor _, x := range list {\n\t\tsum += int64(x)\n\t}\n\treturn sum\n}\n"
	for name, condition := range map[string]string{
		"next":     "id*7 == 20260417093356*7 && n == 48611",
		"before":   "n+n == 48610*2 && id%1000 == 355",
		"zero":     "id == 0 && n == 48611",
		"bound":    "id == 1<<63-1 && n == 48611",
		"fraction": "scale-1 == 317.625",
		"element":  "len(list) == 2 && list[1]/3 == 1047197551 && list[1]%3 == 1",
	} {
		t.Run(name, func(t *testing.T) {
			provetest.Part(t)
			t.Parallel()
			module := &txtar.Archive{Files: []txtar.File{
				{Name: "old/go.mod", Data: []byte("module example.com/m\n\ngo 1.24\n")},
				{Name: "old/p/p.go", Data: fmt.Appendf(nil, price, "")},
				{Name: "new/p/p.go", Data: fmt.Appendf(nil, price, "\tif "+condition+" {\n\t\treturn 1\n\t}\n")},
			}}
			if got, _, err := compareCaptured(t, module, "p", captured.Of(document)); err != nil || got != "differs" {
				t.Errorf("with captured arguments: %s, %v, want differs", got, err)
			}
		})
	}
}

// TestCapturedOfChangedType checks that a struct which the change gives another field is made by its constructor, and
// not from what was captured of the old one, while the other arguments are those that were captured.
func TestCapturedOfChangedType(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	provetest.Part(t)
	const module = `
-- old/go.mod --
module example.com/m

go 1.24
-- old/p/p.go --
package p

import "slices"

type Set struct{ words []string }

func New(words ...string) *Set { return &Set{words} }

func (s *Set) Has(word string) bool { return slices.Contains(s.words, word) }
-- new/p/p.go --
package p

type Set struct{ words map[string]bool }

func New(words ...string) *Set {
	s := &Set{map[string]bool{}}
	for _, word := range words {
		s.words[word] = true
	}
	return s
}

func (s *Set) Has(word string) bool { return s.words[word]%s }
`
	text := func(s string) support.Value { return support.Value{Kind: support.KindString, Text: s, Len: len(s)} }
	set := support.Value{Kind: support.KindPointer, Items: []support.Value{{
		Kind: support.KindStruct, Fields: []support.Field{{Name: "words", Value: support.Value{
			Kind: support.KindSlice, Len: 1, Items: []support.Value{text("production")},
		}}},
	}}}
	calls := captured.Of(&arguments.Document{Functions: []support.Function{{
		Package: "example.com/m/p", Name: "(*Set).Has", Receiver: true, Parameters: []string{"word"},
		Calls: []support.Call{{Arguments: []support.Value{set, text("production")}}},
	}}})
	for end, want := range map[string]string{"": "same", ` || len(word) == 10 && word[:4] == "prod"`: "differs"} {
		got, r, err := compareCaptured(t, txtar.Parse(fmt.Appendf(nil, module, end)), "p", calls)
		if err != nil || got != want || want == "same" && (r.Separate != "" || len(r.Outcomes) == 0) {
			t.Errorf("with %q: %s, %v, want %s, in one program: %s", end, got, err, want, r.Separate)
		}
	}
}

// TestDumpCaptured checks that captured calls are among those whose results are compared between two builds.
func TestDumpCaptured(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	provetest.Part(t)
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), []byte("module example.com/m\n\ngo 1.24\n"))
	write(t, filepath.Join(dir, "p.go"), []byte("package p\n\nimport \"strings\"\n\n"+
		"func Upper(text string) string { return strings.ToUpper(text) }\n"))
	pkgs, err := driver.Load(t.Context(), driver.Options{Dir: dir}, ".")
	if err != nil {
		t.Fatal(err)
	}
	var decls []*ast.FuncDecl
	for _, d := range pkgs[0].Syntax[0].Decls {
		if fn, ok := d.(*ast.FuncDecl); ok {
			decls = append(decls, fn)
		}
	}
	calls := captured.Of(&arguments.Document{Functions: []support.Function{{
		Package: "example.com/m", Name: "Upper", Parameters: []string{"text"}, Calls: []support.Call{{
			Arguments: []support.Value{{Kind: support.KindString, Text: "production order 4711", Len: 21}},
		}},
	}}})
	files, tests, errs := differ.Dump(pkgs[0], decls, 32, 1, calls)
	if len(errs) > 0 || len(tests) != 1 {
		t.Fatal(tests, errs)
	}
	for name, text := range files {
		write(t, filepath.Join(dir, name), text)
	}
	dump := filepath.Join(t.TempDir(), "dump")
	cmd := exec.Command("go", "test", "-count=1", "-run", "^"+tests[0].Name+"$", ".")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), differ.DumpEnv+"="+dump)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	text, err := os.ReadFile(dump)
	if err != nil || !strings.Contains(string(text), "PRODUCTION ORDER 4711") {
		t.Errorf("%v\n%s", err, text)
	}
	if lines := strings.Count(string(text), "\n"); lines != 3+2+32 { // captured, nearly captured, and other inputs
		t.Errorf("%d lines", lines)
	}
}
