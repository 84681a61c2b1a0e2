package syntax

import (
	"go/ast"
	"go/parser"
	"go/token"

	"github.com/whet-go/whet/internal/prove/differ"
)

// Functions returns the source of a file's functions by name, as differ.FuncName has it.
func Functions(name string, source []byte) (map[string]string, error) {
	if source == nil {
		return nil, nil
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	texts := map[string]string{}
	for _, d := range file.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok {
			texts[differ.FuncName(fn)] = string(source[fset.Position(fn.Pos()).Offset:fset.Position(fn.End()).Offset])
		}
	}
	return texts, nil
}

// Function returns the first line and the source of a function in a file; "" if there is none.
func Function(name string, source []byte, function string) (line int, text string) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, source, parser.SkipObjectResolution)
	if err != nil {
		return 0, ""
	}
	for _, decl := range file.Decls {
		if d, ok := decl.(*ast.FuncDecl); ok && differ.FuncName(d) == function {
			from, to := fset.Position(d.Pos()), fset.Position(d.End())
			return from.Line, string(source[from.Offset:to.Offset])
		}
	}
	return 0, ""
}

// InLiteral reports whether lines are in a function literal of a function, which may be what it
// returns.
func InLiteral(fset *token.FileSet, d *ast.FuncDecl, line, endLine int) bool {
	found := false
	ast.Inspect(d, func(n ast.Node) bool {
		if lit, ok := n.(*ast.FuncLit); ok {
			from, to := fset.Position(lit.Body.Pos()).Line, fset.Position(lit.Body.End()).Line
			found = found || from <= line && endLine <= to
		}
		return !found
	})
	return found
}
