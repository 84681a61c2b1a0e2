package rewrite

import (
	"go/ast"

	"golang.org/x/tools/go/analysis"
)

// Declare returns the edit that puts top-level declarations, as source, before the declaration that
// holds the place of a node; before its comment, if it has one. ok is false if there is none.
func Declare(pass *analysis.Pass, near ast.Node, source string) (edit analysis.TextEdit, ok bool) {
	decl := Declaration(pass, near.Pos())
	if decl == nil {
		return analysis.TextEdit{}, false
	}
	before := decl.Pos()
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if d.Doc != nil {
			before = d.Doc.Pos()
		}
	case *ast.GenDecl:
		if d.Doc != nil {
			before = d.Doc.Pos()
		}
	}
	return Insert(before, source+"\n\n"), true
}
