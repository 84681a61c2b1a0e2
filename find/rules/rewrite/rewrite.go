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

// Text is the source of a node as it is written. It is "" when the file cannot be read.
func Text(pass *analysis.Pass, n ast.Node) string {
	return Between(pass, n.Pos(), n.End())
}

// Between is the source between two positions of a file.
func Between(pass *analysis.Pass, from, to token.Pos) string {
	f := pass.Fset.File(from)
	data, err := pass.ReadFile(f.Name())
	if err != nil || f.Offset(to) > len(data) {
		return ""
	}
	return string(data[f.Offset(from):f.Offset(to)])
}

// File is the file of a package that holds a position, nil if none does.
func File(pass *analysis.Pass, at token.Pos) *ast.File {
	for _, f := range pass.Files {
		if f.FileStart <= at && at < f.FileEnd {
			return f
		}
	}
	return nil
}

// Replace is the edit that puts text in the place of a node.
func Replace(n ast.Node, text string) analysis.TextEdit {
	return analysis.TextEdit{Pos: n.Pos(), End: n.End(), NewText: []byte(text)}
}

// Insert is the edit that puts text at a place.
func Insert(at token.Pos, text string) analysis.TextEdit {
	return analysis.TextEdit{Pos: at, End: at, NewText: []byte(text)}
}

// Lookup is what a name means at a position, nil when it means nothing there.
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

// Names gives out names for new package variables and functions of one package: no two are
// alike, and nothing in the package has them, in any scope. It is for one pass.
type Names struct {
	pass  *analysis.Pass
	taken map[string]bool
}

// NewNames knows all names that the package of a pass uses.
func NewNames(pass *analysis.Pass) *Names {
	return &Names{pass: pass}
}

// Fresh is a name that is base, or begins so.
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
// declaration, that holds a position: its value is evaluated once. comment, one line or more
// without slashes, says what it is.
func Hoist(pass *analysis.Pass, at token.Pos, name, comment, value string) (analysis.TextEdit, bool) {
	text := ""
	for line := range strings.Lines(comment) {
		text += "// " + strings.TrimRight(line, "\n") + "\n"
	}
	return Declare(pass, at, fmt.Sprintf("%svar %s = %s", text, name, value))
}

// Declaration is the top-level declaration around a position, nil if there is none.
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

// Generated reports whether a program wrote the file that holds a position, or cgo reads it: what
// is rewritten there does not last.
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
