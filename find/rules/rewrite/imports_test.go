package rewrite

import "testing"

func TestImport(t *testing.T) {
	const use = "\n\nfunc f() {\n\t/*here*/ return\n}\n"
	for name, test := range map[string]struct {
		source, path string
		want         string // the name
		after        string // the imports
	}{
		"there":    {"import \"strings\"" + use, "strings", "strings", "import \"strings\""},
		"renamed":  {"import text \"strings\"" + use, "strings", "text", "import text \"strings\""},
		"none":     {"var x = 1" + use, "strings", "strings", "import \"strings\"\n\nvar x = 1"},
		"single":   {"import \"os\" // why" + use, "io", "io", "import (\n\t\"io\"\n\t\"os\"\n) // why"},
		"versions": {"import \"os\"" + use, "math/rand/v2", "rand", "import (\n\t\"math/rand/v2\"\n\t\"os\"\n)"},
		"groups": {
			"import (\n\t\"os\"\n\t\"strconv\"\n\n\t\"example.com/p/q\"\n\t\"golang.org/x/text\"\n)" + use, "strings", "strings",
			"import (\n\t\"os\"\n\t\"strconv\"\n\t\"strings\"\n\n\t\"example.com/p/q\"\n\t\"golang.org/x/text\"\n)",
		},
		"comments": {
			"import (\n\t// first\n\t\"os\" // why\n\n\t\"golang.org/x/text\"\n)" + use, "io", "io",
			"import (\n\t\"io\"\n\t// first\n\t\"os\" // why\n\n\t\"golang.org/x/text\"\n)",
		},
		"no group": {
			"import (\n\t\"golang.org/x/text\"\n)" + use, "os", "os",
			"import (\n\t\"os\"\n\n\t\"golang.org/x/text\"\n)",
		},
		"other": {
			"import (\n\t\"os\"\n\n\t\"golang.org/x/text\"\n)" + use, "example.com/p/q", "q",
			"import (\n\t\"os\"\n\n\t\"example.com/p/q\"\n\t\"golang.org/x/text\"\n)",
		},
		"first other": {
			"import (\n\t\"os\"\n)" + use, "example.com/p/q", "q",
			"import (\n\t\"os\"\n\n\t\"example.com/p/q\"\n)",
		},
		"mixed group": {
			"import (\n\t\"example.com/p/q\"\n\t\"os\"\n)" + use, "io", "io",
			"import (\n\t\"io\"\n\n\t\"example.com/p/q\"\n\t\"os\"\n)",
		},
		"declared": {
			"import \"os\"\n\nvar io = 1" + use, "io", "stdio",
			"import (\n\tstdio \"io\"\n\t\"os\"\n)\n\nvar io = 1",
		},
		"other means": {
			"import rand \"crypto/rand\"" + use, "math/rand/v2", "stdrand",
			"import (\n\trand \"crypto/rand\"\n\tstdrand \"math/rand/v2\"\n)",
		},
		"of others": {
			"import \"os\"\n\nvar q = 1" + use, "example.com/p/q", "qpkg",
			"import (\n\tqpkg \"example.com/p/q\"\n\t\"os\"\n)\n\nvar q = 1",
		},
		"taken too": {
			"import \"os\"\n\nvar io, stdio = 1, 2" + use, "io", "stdio2",
			"import (\n\tstdio2 \"io\"\n\t\"os\"\n)\n\nvar io, stdio = 1, 2",
		},
		"cgo": {"import \"C\"" + use, "io", "", "import \"C\""},
	} {
		t.Run(name, func(t *testing.T) {
			pass, at := passOf(t, "package p\n\n"+test.source)
			got, edits, ok := Import(pass, at, test.path)
			if got != test.want || ok != (test.want != "") {
				t.Errorf("name %q, %v, want %q", got, ok, test.want)
			}
			want := "package p\n\n" + test.after + "\n\nfunc f() {\n\treturn\n}\n"
			if after := applied(t, pass, append(edits, edits...)...); after != want {
				t.Errorf("got\n%s\nwant\n%s", after, want)
			}
		})
	}
}

// TestImportHidden checks that a name is rejected only if something shadows it where it is used.
func TestImportHidden(t *testing.T) {
	const source = `package p

import "os"

type T struct{ io int }

func (t T) f() (n int) {
	n = t.io
	/*here*/ func(io int) { n += io }(1)
	return n
}

func g(os string) { _ = os }
`
	pass, at := passOf(t, source)
	if name, _, ok := Import(pass, at, "io"); name != "io" || !ok {
		t.Errorf("in f: %q, %v", name, ok)
	}
	g := pass.Files[0].Decls[len(pass.Files[0].Decls)-1]
	name, edits, ok := Import(pass, g.End()-1, "os")
	if name != "stdos" || !ok || len(edits) == 0 {
		t.Errorf("where a parameter hides it: %q, %v", name, ok)
	}
}
