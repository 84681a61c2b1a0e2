package prove

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/whet-go/whet/bench/builds"
	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/internal/prove/provetest"
	"github.com/whet-go/whet/internal/prove/scratch"
)

// twoBuilds is a module whose build tag changes the results of one function, and the errors of
// another.
const twoBuilds = `
-- go.mod --
module example.com/two

go 1.26
-- a/a.go --
package a

import (
	"errors"
	"math/rand/v2"
	"os"
)

func Same(s string) string { return s + suffix[:0] }

func Differs(n int) int { return n + len(suffix) }

func Fails(s string) (string, error) {
	if len(s) > 3 {
		return "", errors.New("too long" + suffix)
	}
	return s, nil
}

func Chance() uint64 { return rand.Uint64() }

func Exits(b bool) {
	if b {
		os.Exit(3)
	}
}

type odd struct{ f *os.File }

func (o odd) name(s string) string { return s + suffix + o.f.Name() }

func Odd(s string) string { return odd{os.Stdin}.name(s) }
-- a/one.go --
//go:build !two

package a

const suffix = "1"
-- a/two.go --
//go:build two

package a

const suffix = "22"
`

// TestCompareBuilds finds where the results of two builds of one source differ.
func TestCompareBuilds(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	provetest.Part(t)
	dir := t.TempDir()
	for _, f := range txtar.Parse([]byte(twoBuilds)).Files {
		name := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	source, err := os.ReadFile(filepath.Join(dir, "a", "a.go"))
	if err != nil {
		t.Fatal(err)
	}
	f := &Prover{o: Options{Timeout: 20 * time.Minute}}
	if f.scratch, err = scratch.New(t.Context(), dir, scratch.Options{Temp: t.TempDir()}); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := f.scratch.Close(); err != nil {
			t.Error(err)
		}
	}()
	at := func(texts ...string) (places []find.Place) {
		for _, text := range texts {
			before, _, ok := strings.Cut(string(source), text)
			if !ok {
				t.Fatal(text)
			}
			places = append(places, find.Place{File: "a/a.go", Line: 1 + strings.Count(before, "\n")})
		}
		return places
	}
	a := builds.Side{Dir: f.scratch.Dir}
	b := builds.Side{Dir: f.scratch.Dir, Flags: []string{"-tags=two"}}

	got, err := f.compareBuilds(t.Context(), at("return s + suffix[:0]", "too long", "rand.Uint64", "os.Exit"), a, b)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Join(got.Functions, " ") != "Same Fails" || got.Inputs != 2*buildInputs ||
		got.ErrorTexts < buildInputs/10 || got.ErrorTexts > buildInputs {
		t.Errorf("%+v", got)
	}
	if not := strings.Join(got.NotCompared, "\n"); len(got.NotCompared) != 2 ||
		!strings.Contains(not, "Chance was not compared: its results depend on time or randomness") ||
		!strings.Contains(not, "Exits cannot be compared: exit status 3") {
		t.Errorf("not compared: %s", not)
	}
	for text, want := range map[string]string{
		"n + len(suffix)": "Differs behaves differently",
		"o.f.Name()":      "Odd (which calls name) behaves differently",
	} {
		if _, err := f.compareBuilds(t.Context(), at(text), a, b); err == nil || !strings.Contains(err.Error(), want) ||
			!strings.Contains(err.Error(), "after:") {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestCompareOtherTypes checks declarations next to which old functions cannot be called.
func TestCompareOtherTypes(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	provetest.Part(t)
	const before = `package a

import "regexp"

var reserved = regexp.MustCompile("[:|@]")

func Clean(s string) string { return reserved.ReplaceAllString(s, "_") }
`
	const after = `package a

var reserved = [256]bool{':': true, '|': true, '@': true}

func Clean(s string) string {
	b := []byte(s)
	for i, c := range b {
		if reserved[c] {
			b[i] = '_'
		}
	}
	return string(b)
}
`
	f := scratchOf(t, before)
	compare := func(after string) (*Answers, error) {
		changes := scratch.Changes{"a/a.go": {Before: []byte(before), After: []byte(after)}}
		return f.compare(t.Context(), changes, false)
	}
	answers, err := compare(after)
	if err != nil || answers.Inputs < 1000 || !slices.Equal(answers.Functions, []string{"Clean"}) {
		t.Errorf("%+v, %v", answers, err)
	}
	wrong := strings.Replace(after, ", '@': true", "", 1)
	if _, err := compare(wrong); err == nil ||
		!strings.Contains(err.Error(), "Clean behaves differently") {
		t.Errorf("with a character left out: %v", err)
	}
}

// TestCompareTwins checks changes that affect more than one function: helpers that are removed,
// users of constants, packages that register flags, and packages that cannot be in one program
// twice.
func TestCompareTwins(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	provetest.Part(t)
	const before = `package main

import (
	"flag"
	"fmt"
	"strings"
)

const limit = 7

var sep = flag.String("sep", ",", "what is between words")

func cut(s string) string { return s[:min(len(s), limit)] }

func trim(s string) string { return strings.TrimSpace(s) }

// Words returns the words of a text.
func Words(text string) []string {
	list := strings.Split(text, *sep)
	for i := range list {
		list[i] = trim(list[i])
	}
	return list
}

func main() {
	flag.Parse()
	fmt.Println(Words(cut("a")))
}
`
	inlined := strings.NewReplacer("func trim(s string) string { return strings.TrimSpace(s) }", "",
		"trim(list[i])", "strings.TrimSpace(list[i])").Replace(before)
	published := strings.NewReplacer("\"flag\"", "\"expvar\"\n\t\"flag\"", "const limit",
		"var hits = expvar.NewInt(\"whet.test.hits\")\n\nconst limit", "flag.Parse()", "flag.Parse()\n\thits.Add(1)")
	f := scratchOf(t, published.Replace(before))
	if err := f.scratch.Write("a/a.go", []byte(before)); err != nil {
		t.Fatal(err)
	}
	compare := func(before, after string) (*Answers, error) {
		return f.compare(t.Context(), scratch.Changes{"a/a.go": {Before: []byte(before), After: []byte(after)}}, false)
	}
	a, err := compare(before, inlined)
	if err != nil || !slices.Equal(a.Functions, []string{"Words"}) || len(a.NotCompared)+len(a.Separate) > 0 ||
		a.Inputs < 1000 || a.Distinct < 10 || a.Blocks == 0 || a.Reached != a.Blocks {
		t.Errorf("a helper that is removed: %+v, %v", a, err)
	}
	_, err = compare(before, strings.Replace(before, "limit = 7", "limit = 8", 1))
	if err == nil || !strings.Contains(err.Error(), "cut (which uses limit) behaves differently") {
		t.Errorf("a constant: %v", err)
	}
	if err := f.scratch.Write("a/a.go", []byte(published.Replace(before))); err != nil {
		t.Fatal(err)
	}
	a, err = compare(published.Replace(before), published.Replace(inlined))
	if err != nil || !slices.Equal(a.Functions, []string{"Words"}) || len(a.Separate) != 1 ||
		!strings.Contains(a.Separate[0], "Reuse of exported var name") || a.Inputs < 1000 {
		t.Errorf("a variable that is published: %+v, %v", a, err)
	}
	for _, left := range []string{"whettwin", "zz_whet_differ_test.go", "testdata"} {
		if _, err := os.Stat(f.scratch.Path("a/" + left)); err == nil {
			t.Errorf("%s was left behind", left)
		}
	}
}

// scratchOf is a Prover whose scratch copy has one file, a/a.go.
func scratchOf(t *testing.T, source string) *Prover {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.com/x\n\ngo 1.26\n", "a/a.go": source} {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	f := &Prover{o: Options{Timeout: 20 * time.Minute, FuzzInputs: 1000}}
	var err error
	if f.scratch, err = scratch.New(t.Context(), dir, scratch.Options{Temp: t.TempDir()}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.scratch.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

// TestCompareReviewed checks what only a rewrite that needs review may do: divide writes
// differently, and change the declaration of a type. Even such a rewrite may not write different
// bytes.
func TestCompareReviewed(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	provetest.Part(t)
	const before = `package a

import "io"

type Page struct{ title string }

func (p *Page) Show(w io.Writer) error {
	if _, err := io.WriteString(w, "<h1>"); err != nil {
		return err
	}
	_, err := io.WriteString(w, p.title)
	return err
}

func Head(w io.Writer, title string) {
	_, _ = io.WriteString(w, "<title>")
	_, _ = io.WriteString(w, title)
}
`
	joined := strings.Replace(before, `	_, _ = io.WriteString(w, "<title>")
	_, _ = io.WriteString(w, title)`, `	_, _ = io.WriteString(w, "<title>"+title)`, 1)
	lost := strings.Replace(joined, `"<title>"+title)`, `"<title>")`, 1)
	other := strings.Replace(strings.Replace(joined, "title string }", "title string; shown int }", 1), "	if _, err",
		"	p.shown++\n	if _, err", 1)
	f := scratchOf(t, before)
	compare := func(after string, reviewed bool) (*Answers, error) {
		return f.compare(t.Context(), scratch.Changes{"a/a.go": {Before: []byte(before), After: []byte(after)}}, reviewed)
	}
	if _, err := compare(joined, false); err == nil {
		t.Error("writes in other pieces are the same without a review")
	}
	if answers, err := compare(joined, true); err != nil || answers.Inputs == 0 || len(answers.NotCompared) > 0 {
		t.Errorf("writes in other pieces: %+v, %v", answers, err)
	}
	if _, err := compare(lost, true); err == nil || !strings.Contains(err.Error(), "Head behaves differently") {
		t.Errorf("a title that is lost: %v", err)
	}
	answers, err := compare(other, true)
	if err != nil || !slices.Equal(answers.Functions, []string{"Head", "(*Page).Show"}) || len(answers.NotCompared) > 0 {
		t.Errorf("a type with another field: %+v, %v", answers, err)
	}
}
