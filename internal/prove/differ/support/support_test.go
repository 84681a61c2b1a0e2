package support_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"testing"

	"github.com/whet-go/whet/internal/prove/differ/support"
)

// TestBuiltins checks that the support uses no builtin function that packages declare themselves: those
// that Go did not have before, and new.
func TestBuiltins(t *testing.T) {
	t.Parallel()
	all := []byte("whetCompare( whetPrintAnswers( whetBenchmark(")
	files := support.For("p", all, true, func(part string) string { return part + ".go" })
	if len(files) < 5 {
		t.Fatalf("%d files", len(files))
	}
	for name, text := range files {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, name, text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			id, ok := call.Fun.(*ast.Ident)
			if ok && slices.Contains([]string{"min", "max", "clear", "new"}, id.Name) {
				t.Errorf("%v calls %s", fset.Position(id.Pos()), id.Name)
			}
			return true
		})
	}
}
