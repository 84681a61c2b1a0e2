package regexpsimple

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/whet-go/whet/find/rules/rewrite"
	"github.com/whet-go/whet/internal/find/driver"
)

// The pieces of random patterns and random texts.
var (
	atoms = []string{
		"a", "b", "-", "é", "日", `\x{fffd}`, `\.`, ".", "(?s:.)",
		"[ab]", "[^a]", `\s`, `\S`, `\d`, `\w`, `\W`,
		"[aeiouy0-9_.-]", "[acegikmo]",
		"[^acegikmo]", "[à-ý]", `[^\x{80}-\x{10ffff}]`, `[\x{fffd}a]`, `[\x{d7ff}-\x{e000}]`, `[^\n]`,
		"(a)", "(?:b)", "[[:punct:]]", `\pN`, "(?i:k)", "(?i)a", "ab", "aab",
	}
	repeats = []string{"", "", "", "", "+", "*", "?", "{2}", "{3}", "{1,3}", "{2,}", "{0}", "+?", "{0,1}?"}
	pieces  = []string{
		"a", "b", "aab", "-", ".", "0", "9", "_", " ", "\n", "\t", "\f", "\r", "\v",
		"k", "K", "\u212a", "é", "ý", "ÿ",
		"日", "本", "\ufffd", "\xff", "\x80", "\xe6", "\xe6\x97", "\xa5",
		"\xc3", "\xed\xa0\x80", "\U0010ffff", "\xf4\x90\x80\x80", "\x00", "½", "!",
	}
)

func randomPattern(r *rand.Rand) string {
	p := ""
	if r.IntN(3) == 0 {
		p = "^"
	}
	for range 1 + r.IntN(3) {
		p += atoms[r.IntN(len(atoms))] + repeats[r.IntN(len(repeats))]
	}
	if r.IntN(3) == 0 {
		p += "$"
	}
	return p
}

// TestRandom rewrites functions with random patterns, and compares their results before and after
// on random texts, many of which are not valid UTF-8.
func TestRandom(t *testing.T) {
	const functions = 500
	r := rand.New(rand.NewPCG(1, 2))
	var source strings.Builder
	source.WriteString("package random\n\nimport \"regexp\"\n\nvar Functions = []func(s string) any{\n")
	for range functions {
		p := randomPattern(r)
		if r.IntN(2) == 0 { // most patterns of several parts are only matched
			p = atoms[r.IntN(len(atoms))] + repeats[r.IntN(5)]
		}
		if _, err := regexp.Compile(p); err != nil {
			t.Fatal(err)
		}
		use := []string{
			"MatchString(s)", "MatchString(s)", "MatchString(s)", "Match([]byte(s))",
			`ReplaceAllString(s, "-")`, `ReplaceAllString(s, "")`,
			`ReplaceAllLiteralString(s, "$0é")`, "Split(s, -1)",
		}[r.IntN(8)]
		fmt.Fprintf(&source, "\tfunc(s string) any { return regexp.MustCompile(%q).%s },\n", p, use)
	}
	source.WriteString("}\n")

	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module test\n\ngo 1.26\n")
	// As far as the rule knows, functions in package variables run once; these are called.
	before := strings.Replace(source.String(),
		"var Functions = []func(s string) any{",
		"func Functions() []func(s string) any { return []func(s string) any{",
		1) + "}\n"
	write("before/random.go", before)
	pkgs, err := driver.Load(t.Context(), driver.Options{Dir: dir}, "./before")
	if err != nil {
		t.Fatal(err)
	}
	analyzer := New().Analyzer
	found, err := driver.Run(t.Context(), pkgs[0], []*analysis.Analyzer{analyzer})
	if err != nil {
		t.Fatal(err)
	}
	var edits []rewrite.Edit
	fixes := 0
	for _, d := range found[analyzer] {
		for _, fix := range d.SuggestedFixes {
			fixes++
			for _, e := range fix.TextEdits {
				f := pkgs[0].Fset.File(e.Pos)
				end := max(e.Pos, e.End)
				edits = append(edits, rewrite.Edit{From: f.Offset(e.Pos), To: f.Offset(end), Text: string(e.NewText)})
			}
		}
	}
	if fixes < functions/4 {
		t.Errorf("%d of %d functions were rewritten: the test sees little", fixes, functions)
	}
	after, err := rewrite.Apply([]byte(before), edits, nil)
	if err != nil {
		t.Fatal(err)
	}
	write("after/random.go", string(after))
	write("main.go", fmt.Sprintf(`package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"strings"

	"test/after"
	"test/before"
)

func main() {
	pieces := %#v
	r := rand.New(rand.NewPCG(3, 4))
	b, a := random.Functions(), fixed.Functions()
	outcomes := map[string]bool{}
	for range 200 {
		var s strings.Builder
		for range r.IntN(9) {
			s.WriteString(pieces[r.IntN(len(pieces))])
		}
		for i := range b {
			was, is := b[i](s.String()), a[i](s.String())
			outcomes[fmt.Sprint(i, was)] = true
			if !reflect.DeepEqual(was, is) {
				fmt.Printf("function %%d on %%q: was %%q, is %%q\n", i, s.String(), was, is)
				os.Exit(1)
			}
		}
	}
	if len(outcomes) < 3*len(b) {
		fmt.Printf("%%d functions had %%d outcomes: the texts do not tell them apart\n", len(b), len(outcomes))
		os.Exit(1)
	}
}
`, pieces))
	main, err := os.ReadFile(filepath.Join(dir, "main.go"))
	if err != nil {
		t.Fatal(err)
	}
	write("main.go", strings.Replace(string(main), `"test/after"`, `fixed "test/after"`, 1))
	cmd := exec.CommandContext(t.Context(), "go", "run", ".")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s\n%s", err, out, function(out, before))
	}
}

// function returns the source line of the function that the output of a program names.
func function(out []byte, source string) string {
	var n int
	if _, err := fmt.Sscanf(string(out), "function %d", &n); err != nil {
		return ""
	}
	return strings.Split(source, "\n")[n+5]
}
