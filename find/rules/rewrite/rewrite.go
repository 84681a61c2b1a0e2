package rewrite

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// Text returns the source of a node, or "" if the file cannot be read.
func Text(pass *analysis.Pass, n ast.Node) string {
	return Between(pass, n.Pos(), n.End())
}

// Between returns the source between two positions of a file.
func Between(pass *analysis.Pass, from, to token.Pos) string {
	f := pass.Fset.File(from)
	data, err := pass.ReadFile(f.Name())
	if err != nil || f.Offset(to) > len(data) {
		return ""
	}
	return string(data[f.Offset(from):f.Offset(to)])
}

// File returns the file of a package that contains a position, or nil.
func File(pass *analysis.Pass, at token.Pos) *ast.File {
	for _, f := range pass.Files {
		if f.FileStart <= at && at < f.FileEnd {
			return f
		}
	}
	return nil
}

// Replace returns the edit that replaces a node by text.
func Replace(n ast.Node, text string) analysis.TextEdit {
	return analysis.TextEdit{Pos: n.Pos(), End: n.End(), NewText: []byte(text)}
}

// Insert returns the edit that inserts text at a position.
func Insert(at token.Pos, text string) analysis.TextEdit {
	return analysis.TextEdit{Pos: at, End: at, NewText: []byte(text)}
}

// Lookup returns what a name refers to at a position, or nil.
func Lookup(pass *analysis.Pass, at token.Pos, name string) types.Object {
	scope := pass.Pkg.Scope().Innermost(at)
	if scope == nil {
		scope = pass.Pkg.Scope()
	}
	_, obj := scope.LookupParent(name, at)
	return obj
}

// declares reports whether a file uses a name for anything, in any scope.
func declares(file *ast.File, name string) bool {
	found := false
	ast.Inspect(file, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && id.Name == name {
			found = true
		}
		return !found
	})
	return found
}

// Names returns unused names for new package variables and functions of one package: each is
// returned once, and nothing in the package has them, in any scope. It is for one pass.
type Names struct {
	pass  *analysis.Pass
	taken map[string]bool
}

// NewNames returns Names for the package of a pass.
func NewNames(pass *analysis.Pass) *Names {
	return &Names{pass: pass}
}

// Fresh returns a name that is base, or begins with it.
func (n *Names) Fresh(base string) string {
	if n.taken == nil {
		n.taken = map[string]bool{}
		for _, f := range n.pass.Files {
			ast.Inspect(f, func(node ast.Node) bool {
				if id, ok := node.(*ast.Ident); ok {
					n.taken[id.Name] = true
				}
				return true
			})
		}
		for _, name := range n.pass.Pkg.Scope().Names() {
			n.taken[name] = true
		}
	}
	name := base
	for i := 2; n.taken[name] || types.Universe.Lookup(name) != nil || token.IsKeyword(name); i++ {
		name = base + strconv.Itoa(i)
	}
	n.taken[name] = true
	return name
}

// Hoist returns the edit that declares a package variable before the function, or the other
// declaration, that contains a position: its value is evaluated once. comment, one or more lines
// without slashes, describes it.
func Hoist(pass *analysis.Pass, at token.Pos, name, comment, value string) (analysis.TextEdit, bool) {
	text := ""
	for line := range strings.Lines(comment) {
		text += "// " + strings.TrimRight(line, "\n") + "\n"
	}
	return Declare(pass, at, fmt.Sprintf("%svar %s = %s", text, name, value))
}

// Declaration returns the top-level declaration around a position, or nil.
func Declaration(pass *analysis.Pass, at token.Pos) ast.Decl {
	file := File(pass, at)
	if file == nil {
		return nil
	}
	for _, d := range file.Decls {
		if d.Pos() <= at && at < d.End() {
			return d
		}
	}
	return nil
}

// Generated reports whether the file that contains a position is generated or processed by cgo, so
// that changes to it do not last.
func Generated(pass *analysis.Pass, at token.Pos) bool {
	file := File(pass, at)
	if file == nil || ast.IsGenerated(file) {
		return true
	}
	for _, spec := range file.Imports {
		if spec.Path.Value == `"C"` {
			return true
		}
	}
	return false
}
