package flow_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"log"

	"github.com/whet-go/whet/find/rules/flow"
)

// For an analyzer: which built-in function, method or other function a call refers to.
func ExampleBuiltin() {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", `package p

func add(s []int) []int { return append(s, 1) }
`, 0)
	if err != nil {
		log.Fatal(err)
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}}
	if _, err := new(types.Config).Check("p", fset, []*ast.File{file}, info); err != nil {
		log.Fatal(err)
	}
	for n := range ast.Preorder(file) {
		if call, ok := n.(*ast.CallExpr); ok {
			fmt.Println(flow.Builtin(info, call))
		}
	}
	// Output: append
}
