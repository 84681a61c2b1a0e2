package vocabulary_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/whet-go/whet/internal/find/driver"
	"github.com/whet-go/whet/internal/prove/differ/vocabulary"
)

// TestOf checks that the constants of what changed are there, however many others a package has, that
// the tests' texts and small files are, and that a new conversion to 16 bits is found.
func TestOf(t *testing.T) {
	t.Parallel()
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
	var many strings.Builder
	for i := range 500 {
		fmt.Fprintf(&many, "const C%d, N%d = \"constant %d\", %d\n\n", i, i, i, 1000+i)
	}
	const last = "\nfunc F(s string, n int) bool { return s == %q && n == %d && %[3]s(n) > 1 }\n" +
		"\nfunc G(n int64) bool { return %[3]s(n) > 1 }\n" // which is often large
	write("go.mod", "module example.com/m\n\ngo 1.26\n")
	write("a/a.go", "package p\n\n"+many.String()+fmt.Sprintf(last, "rare", 77_777, "int64"))
	write("b/b.go", "package p\n\n"+many.String()+fmt.Sprintf(last, "needle", 88_888, "uint16"))
	write("a/a_test.go", "package p\n\nvar _ = []string{\"first \" +\n\t\"second\"}\n")
	write("a/testdata/deep/case.txt", "a document")
	write("a/testdata/large.txt", strings.Repeat("too large ", 1000))
	pkgs, err := driver.Load(t.Context(), driver.Options{Dir: dir}, "./a", "./b")
	if err != nil || len(pkgs) != 2 {
		t.Fatal(err, len(pkgs))
	}
	words := vocabulary.Of(pkgs[0], pkgs[1])
	if got := words.Narrowing(); !slices.Equal(got, []string{"F"}) {
		t.Errorf("narrowing %q", got)
	}
	source := string(words.Source("p", "example.com/m/whetlib", true, nil))
	for _, want := range []string{
		`"rare"`, "77777", `"needle"`, "88888", `"constant 3"`, `"first second"`, `"a document"`,
	} {
		if !strings.Contains(source, want) {
			t.Errorf("there is no %s", want)
		}
	}
	if strings.Contains(source, "too large") {
		t.Error("a large file is a text")
	}
}

// TestPatterns checks that there are texts that regular expressions just match, and just do not match.
func TestPatterns(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	code := "package p\n\nimport \"regexp\"\n\nvar r = regexp.MustCompile(`^[a-y]{2} (.+)$`)\n\n" +
		"func F(s string) bool { return r.FindStringSubmatch(s)[1] == \"needle\" }\n"
	for name, text := range map[string]string{
		"go.mod": "module example.com/m\n\ngo 1.26\n", "p.go": code,
		"p_test.go": "package p\n\nvar _ = F(\"of tests\")\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	pkgs, err := driver.Load(t.Context(), driver.Options{Dir: dir}, ".")
	if err != nil || len(pkgs) != 1 {
		t.Fatal(err, len(pkgs))
	}
	source := string(vocabulary.Of(pkgs[0]).Source("p", "example.com/m/whetlib", true, nil))
	for _, want := range []string{
		"aa a", "yyy   ", "aa needle", "za a", "a` a", "aa needle\n", "aa needle\naa needle", "of tests\n",
	} {
		if !strings.Contains(source, fmt.Sprintf("%q", want)) {
			t.Errorf("there is no %q in %s", want, source)
		}
	}
}
