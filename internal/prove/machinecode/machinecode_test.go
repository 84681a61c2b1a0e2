package machinecode

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/whet-go/whet/internal/prove/scratch"
)

// base is the package p before a change.
const base = `package p

import "strings"

// Limit is a limit.
const Limit = 10

var table = [...]int{1, 2, 3}

// Sum adds up.
func Sum(list []int) (sum int) {
	for _, n := range list {
		sum += weight(n)
	}
	return sum
}

//go:noinline
func weight(n int) int { return n * table[n%len(table)] }

// Upper is inlined in q.
func Upper(s string) string { return strings.ToUpper(s) }

type set struct{ m map[string]bool }

func (s *set) add(name string) { s.m[name] = true }

// Names are counted.
func Names(list []string) int {
	s := &set{m: map[string]bool{}}
	for _, n := range list {
		s.add(n)
	}
	return len(s.m)
}

// Of is generic.
func Of[T comparable](a, b T) bool { return a == b }
`

// method is one of its methods.
const method = "func (s *set) add(name string) { s.m[name] = true }\n"

// TestSame holds that layout, names and what the compiler makes nothing of do not count, and everything else does.
func TestSame(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.com/m.v2\n\ngo 1.22\n",
		"p/p.go": base,
		"q/q.go": "package q\n\nimport \"example.com/m.v2/p\"\n\n" +
			"func Title() string { return p.Upper(\"title\") }\n",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	m, err := scratch.New(t.Context(), dir, scratch.Options{Flags: []string{"-tags=some"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	for _, test := range []struct {
		name          string
		edits         []string // pairs of old and new
		decides, same bool
	}{
		{"a comment", []string{"// Sum adds up.", "// Sum adds up\n// numbers."}, true, true},
		{
			"a local variable",
			[]string{"n := range list {\n\t\tsum += weight(n)", "each := range list {\n\t\tsum += weight(each)"},
			true, true,
		},
		{"a conversion", []string{"sum += weight(n)", "sum += int(weight(int(n)))"}, true, true},
		{"an unexported function", []string{"weight", "weightOf"}, true, true},
		{
			"a function twice", []string{"sum += weight(n)", "sum += again(n)", "// Upper is", `
//go:noinline
func again(n int) int { return n * table[n%len(table)] }

// Upper is`}, false, true, // for the directive
		},
		{
			"another function that looks the same", []string{"sum += weight(n)", "sum += again(n)", "// Upper is", `
func again(n int) int {
	if n > 5 {
		return again(n - 1)
	}
	return weight(n)
}

// Upper is`}, true, false,
		},
		{"an order", []string{method, "", "// Of is", method + "\n// Of is"}, true, true},
		{"an operator", []string{"n * table", "n + table"}, true, false},
		{"a constant", []string{"Limit = 10", "Limit = 11"}, false, true},
		{"a variable", []string{"{1, 2, 3}", "{1, 2, 4}"}, false, false},
		{"a generic function", []string{"a == b", "a != b"}, false, true},
		{"an unexported method", []string{"add(", "put("}, true, false},
		{"what is inlined elsewhere", []string{"strings.ToUpper(s)", "strings.ToLower(s)"}, true, false},
		{"a directive", []string{"//go:noinline\n", ""}, false, false},
		{"a field", []string{"set struct{ m", "set struct{ n int; m"}, false, false},
		{"a blank import", []string{`import "strings"`, "import \"strings\"\nimport _ \"embed\""}, false, false},
		{"a new function", []string{"// Of is", "// More is new.\nfunc More() {}\n\n// Of is"}, true, false},
	} {
		after := strings.NewReplacer(test.edits...).Replace(base)
		if after == base {
			t.Fatalf("%s: nothing has changed", test.name)
		}
		changes := scratch.Changes{"p/p.go": {Before: []byte(base), After: []byte(after)}}
		if got := Decides(changes); got != test.decides {
			t.Errorf("%s: decides is %t", test.name, got)
		}
		over, err := m.Overlay(changes.After())
		if err != nil {
			t.Fatal(err)
		}
		n, same, err := Same(t.Context(), m, over, []string{"example.com/m.v2/p", "example.com/m.v2/q"})
		if err != nil || same != test.same || same && n < 4 {
			t.Errorf("%s: %t of %d functions, %v", test.name, same, n, err)
		}
	}
	for _, flags := range [][]string{{"-gcflags=-l"}, {"-tags=none"}} {
		_, same, err := Same(t.Context(), m.With(flags, nil), nil, []string{"example.com/m.v2/p"})
		if want := flags[0] == "-tags=none"; err != nil || same != want {
			t.Errorf("with %s: %t, %v", flags, same, err)
		}
	}
	if _, same, err := Same(t.Context(), m, nil, []string{"example.com/m.v2/none"}); err != nil || same {
		t.Errorf("of a package that is not there: %t, %v", same, err)
	}
}

// FuzzReadListing holds that any text is read in bounds.
func FuzzReadListing(f *testing.F) {
	for _, seed := range []string{
		"# p\np.F STEXT size=1 args=0x0\n\t0x0000 00000 (p.go:1)\tRET\n\t0x0000 c3     .\n\trel 1+4 t=R_CALL p.g+0\n",
		"p.x SRODATA size=3\n\t0x0000 61 62 63  abc\n", "\trel \n", "\t0x", "# ", "a S size=",
		"p.F STEXT size=1\n\trel 1 t=R x\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a, err := readListing(strings.NewReader(text))
		if err != nil {
			return
		}
		b, err := readListing(strings.NewReader(text))
		if err != nil || !alike(a, b) {
			t.Errorf("%q is not like itself: %v", text, err)
		}
	})
}
