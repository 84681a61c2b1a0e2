package twin

import (
	"slices"
	"strings"
	"testing"
)

// TestLinknames copies what uses a symbol of another package, and not what defines one.
func TestLinknames(t *testing.T) {
	c := New(nil, nil)
	c.Paths["example.com/m/p"] = true
	for _, test := range []struct{ code, want string }{
		{"//go:linkname now runtime.nanotime\nfunc now() int64\n", ""},
		{"//go:linkname limit runtime.limit\nvar limit int\n", ""},
		{"//go:linkname now\nfunc now() int64 { return 0 }\n", ""},
		{"//go:linkname now runtime.nanotime\nfunc now() int64 { return 0 }\n", "go:linkname defines a symbol"},
		{"//go:linkname limit runtime.limit\nvar limit = 1\n", "go:linkname defines a symbol"},
		{"//go:linkname now runtime.nanotime\n", "go:linkname defines a symbol"}, // declared elsewhere
		{"//go:linkname f example.com/m/p.F\nfunc f()\n", "go:linkname uses a symbol of a package that is compiled twice"},
	} {
		got := c.checkLinknames("p.go", []byte("package p\n\nimport _ \"unsafe\"\n\n"+test.code))
		if !strings.HasPrefix(got, test.want) || (got == "") != (test.want == "") {
			t.Errorf("%s: %q, want %q", test.code, got, test.want)
		}
	}
}

// TestAssembly copies assembly without the import paths of packages that are compiled twice.
func TestAssembly(t *testing.T) {
	c := New(nil, nil)
	c.Paths["example.com/m-n/p"] = true
	for _, test := range []struct{ code, want string }{
		{"#include \"textflag.h\"\nTEXT ·f(SB), NOSPLIT, $0-0\n\tCALL runtime·memmove(SB)\n\tCMPB ·avx(SB), $1\n", ""},
		{
			"TEXT ·f(SB), $0\n\tCALL example·com∕m%2dn∕p·g(SB)\n",
			"its assembly has names with the import path example.com/m-n/p",
		},
		{"TEXT ·f(SB), $0\n\tCALL main·g(SB)\n", "its assembly has names with the import path main"},
		{"#include \"../asm/common.h\"\n", "its assembly includes a file of another directory"},
	} {
		if got := c.checkAssembly([]byte(test.code)); got != test.want {
			t.Errorf("%s: %q, want %q", test.code, got, test.want)
		}
	}
}

// TestChangedAssembly finds the functions that change, and what may change any.
func TestChangedAssembly(t *testing.T) {
	const before = "#include \"textflag.h\"\n\nTEXT ·f(SB), NOSPLIT, $0-8\n\tMOVQ $1, AX\n\tRET\n\n" +
		"TEXT ·g(SB), NOSPLIT, $0-8\n\tJMP ·f(SB)\n\nTEXT helper<>(SB), NOSPLIT, $0\n\tMOVQ $3, AX\n\tRET\n"
	replaced := func(from, to string) string { return strings.Replace(before, from, to, 1) }
	for _, test := range []struct {
		name, file, after string
		want              []string
		any               bool
	}{
		{name: "same", file: "a.s", after: before},
		{name: "one", file: "a.s", after: replaced("$1", "$2"), want: []string{"f"}},
		{name: "new", file: "a.s", after: before + "\nTEXT ·h(SB), $0\n\tRET\n", want: []string{"h"}, any: true},
		{name: "first", file: "a.s", after: "TEXT ·e(SB), $0\n\tRET\n" + before, any: true},
		{name: "local", file: "a.s", after: replaced("$3", "$2"), any: true},
		{name: "data", file: "a.s", after: replaced("\nTEXT ·g", "DATA ·x+0(SB)/8, $1\n\nTEXT ·g"), any: true},
		{name: "header", file: "a.h", after: before + "#define X\n", any: true},
	} {
		names, any := ChangedAssembly(test.file, []byte(before), []byte(test.after))
		if test.any {
			names, test.want = nil, nil
		}
		if any != test.any || !slices.Equal(names, test.want) {
			t.Errorf("%s: %q, %v, want %q, %v", test.name, names, any, test.want, test.any)
		}
	}
}
