package rewrite

import (
	"go/ast"
	"testing"
)

func TestBefore(t *testing.T) {
	for name, test := range map[string]struct{ source, want string }{
		"plain": {"a()\n\t/*here*/ b()", "a()\n\tnew()\n\tb()"},
		"commented": {
			"a()\n\t// b is called.\n\t// Twice.\n\t/*here*/ b()",
			"a()\n\tnew()\n\t// b is called.\n\t// Twice.\n\tb()",
		},
		"apart":     {"a()\n\t// Calls.\n\n\t/*here*/ b()", "a()\n\t// Calls.\n\n\tnew()\n\tb()"},
		"behind":    {"a() // first\n\t/*here*/ b() // second", "a() // first\n\tnew()\n\tb() // second"},
		"in if":     {"if a() {\n\t\t/*here*/ b()\n\t}", "if a() {\n\t\tnew()\n\t\tb()\n\t}"},
		"condition": {"if a() && /*here*/ b() {\n\t}", "new()\n\tif a() && b() {\n\t}"},
		"else":      {"if a() {\n\t} else if /*here*/ b() {\n\t}", "new()\n\tif a() {\n\t} else if b() {\n\t}"},
		"case":      {"switch {\n\tcase a():\n\t\t/*here*/ b()\n\t}", "switch {\n\tcase a():\n\t\tnew()\n\t\tb()\n\t}"},
		"case's":    {"switch {\n\tcase /*here*/ b():\n\t}", "new()\n\tswitch {\n\tcase b():\n\t}"},
		"label":     {"loop:\n\tfor /*here*/ b() {\n\t\tbreak loop\n\t}", "new()\nloop:\n\tfor b() {\n\t\tbreak loop\n\t}"},
		"literal": {
			"f := func() bool { /*here*/ return b() }\n\tf()",
			"f := func() bool {\n\t\tnew()\n\t\treturn b()\n\t}\n\tf()",
		},
	} {
		t.Run(name, func(t *testing.T) {
			wrap := func(body string) string {
				return "package p\n\nfunc a() bool { return true }\n\nfunc b() bool { return true }\n\n" +
					"// f has a comment.\nfunc f() {\n\t" + body + "\n}\n"
			}
			pass, at := passOf(t, wrap(test.source))
			stmt, ok := Statement(cursorAt(t, pass, at, (*ast.CallExpr)(nil)))
			if !ok {
				t.Fatal("no statement")
			}
			if got := applied(t, pass, Before(pass, stmt.Node(), "new()")); got != wrap(test.want) {
				t.Errorf("got\n%s\nwant\n%s", got, wrap(test.want))
			}
		})
	}
}

// TestBeforeOneLine checks that the comment of a one-line function is not mistaken for a
// statement's.
func TestBeforeOneLine(t *testing.T) {
	const head = "package p\n\nfunc b() {}\n\n// f has a comment.\n"
	pass, at := passOf(t, head+"func f() { /*here*/ b() }\n")
	stmt, ok := Statement(cursorAt(t, pass, at, (*ast.CallExpr)(nil)))
	if !ok {
		t.Fatal("no statement")
	}
	const want = head + "func f() {\n\tnew()\n\tb()\n}\n"
	if got := applied(t, pass, Before(pass, stmt.Node(), "new()")); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestStatementOutside(t *testing.T) {
	pass, at := passOf(t, "package p\n\nfunc b() int { return 1 }\n\nvar x = /*here*/ b()\n")
	if stmt, ok := Statement(cursorAt(t, pass, at, (*ast.CallExpr)(nil))); ok {
		t.Errorf("a package variable is in the statement %v", stmt.Node())
	}
}

func TestLocalNames(t *testing.T) {
	const source = `package p

var global, room = 1, 2

func f(text string) {
	n := room
	func(inner int) { n += inner }(global)
	/*here*/ _ = n
}

func g() { other := 1; _ = other }
`
	pass, at := passOf(t, source)
	locals := NewLocals(pass)
	for _, test := range []struct{ base, want string }{
		{"text", "text2"},
		{"n", "n2"},
		{"n", "n3"},
		{"inner", "inner2"},
		{"room", "room2"},
		{"other", "other"},
		{"other", "other2"},
		{"len", "len2"},
		{"range", "range2"},
		{"string", "string2"},
		{"f", "f2"},
		{"g", "g"},
	} {
		if got := locals.Fresh(at, test.base); got != test.want {
			t.Errorf("Locals.Fresh(%q) = %q, want %q", test.base, got, test.want)
		}
	}
	decl, ok := Declaration(pass, at).(*ast.FuncDecl)
	if !ok {
		t.Fatal("no function around the mark")
	}
	names := LocalNames(pass, decl)
	for _, test := range []struct{ base, want string }{
		{"text", "text2"}, {"other", "other"}, {"nil", "nil2"}, {"func", "func2"},
	} {
		if got := names.Fresh(test.base); got != test.want {
			t.Errorf("LocalNames.Fresh(%q) = %q, want %q", test.base, got, test.want)
		}
	}
}

func TestMeans(t *testing.T) {
	const source = `package p

import "strings"

const c = 1

type T struct{ f int }

func g(a int, t T) {
	b := a
	/*here*/
	for i := range b {
		b, strings := i, "s"
		use(b, strings)
	}
	use(a, t.f, c, b, strings.ToLower("x"), T{1}, T{f: 1}, func() int { return 1 }, i)
}

func use(...any) {}

var i int
`
	pass, at := passOf(t, source)
	inner := cursorAt(t, pass, at, (*ast.CallExpr)(nil)).Node().Pos() // where b and strings mean something else
	want := []struct{ here, there bool }{
		{true, true},
		{true, true},
		{true, true},
		{true, false},
		{true, false},
		{true, true},
		{false, false},
		{false, false},
		{true, false},
	}
	outer := pass.Files[0].Decls[3].(*ast.FuncDecl).Body.List[2].(*ast.ExprStmt).X.(*ast.CallExpr)
	for i, e := range outer.Args {
		if got := Means(pass, e, outer.Pos()); got != want[i].here {
			t.Errorf("%s in its place: %v", Text(pass, e), got)
		}
		if got := Means(pass, e, inner); got != want[i].there {
			t.Errorf("%s in the loop: %v", Text(pass, e), got)
		}
	}
}
